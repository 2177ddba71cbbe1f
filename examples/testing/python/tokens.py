"""JSON Web Tokens with HS256."""

import base64
import hashlib
import hmac
import json
import time

LIFETIME = 300
CLOCK_SKEW = 60


def sign(claims, secret):
    now = int(time.time())
    content = f"{_encode({'alg': 'HS256', 'typ': 'JWT'})}.{_encode({**claims, 'iat': now, 'exp': now + LIFETIME})}"
    return f"{content}.{_base64(_signature(content, secret))}"


def verify(token, secret):
    """The claims of a valid token, otherwise None."""
    try:
        header, payload, signature = token.split(".")
        expected = _base64(_signature(f"{header}.{payload}", secret))
        if _decode(header)["alg"] != "HS256" or not hmac.compare_digest(signature, expected):
            return None
        claims = _decode(payload)
        return claims if claims["exp"] + CLOCK_SKEW > time.time() else None
    except (AttributeError, KeyError, TypeError, ValueError):
        return None


def _signature(content, secret):
    return hmac.digest(secret.encode(), content.encode(), hashlib.sha256)


def _encode(value):
    return _base64(json.dumps(value).encode())


def _base64(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def _decode(part):
    return json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))
