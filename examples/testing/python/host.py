"""An application in Python's standard library. It opens documents in the editor and stores what is saved.

It uses only signed fields, fetches only from the document server, stores a save completely before it acknowledges it, and
gives the next session a new key. It does not check who may open a document: your own application has to.
"""

import json
import os
import pathlib
import re
import threading
import urllib.error
import urllib.parse
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import tokens

NAME = r"[A-Za-z0-9]{1,40}\.[a-z]{3,4}"
LARGEST = 100 * 1024 * 1024


class Documents:
    """A folder for each document, with a file for each revision."""

    def __init__(self, directory):
        self.directory = pathlib.Path(directory)
        self.lock = threading.RLock()

    def revision(self, name):
        """The latest revision; 0 if there is no document."""
        folder = self.directory / name
        return max((int(file.name) for file in folder.glob("*") if file.name.isdigit()), default=0)

    def read(self, name, revision):
        return (self.directory / name / str(revision)).read_bytes()

    def write(self, name, revision, content):
        """Atomic and durable: after {"error": 0} the document server deletes its copy."""
        folder = self.directory / name
        folder.mkdir(parents=True, exist_ok=True)
        part = folder / f"{revision}.part"
        with open(part, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, folder / str(revision))


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


_fetcher = urllib.request.build_opener(_NoRedirects, urllib.request.ProxyHandler({}))


class Host(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, secret, document_server, directory, address=("127.0.0.1", 0)):
        super().__init__(address, Handler)
        self.secret = secret
        self.document_server = document_server
        self.documents = Documents(directory)
        self.url = f"http://127.0.0.1:{self.server_port}"

    def config(self, name, user):
        """The configuration that the page passes to `new DocsAPI.DocEditor(…)`."""
        config = {
            "document": {
                "key": f"{name}-{self.documents.revision(name)}",
                "title": name,
                "fileType": name.split(".")[1],
                "url": f"{self.url}/download/{name}",
            },
            "editorConfig": {
                "callbackUrl": f"{self.url}/callback/{name}",
                "mode": "edit",
                "user": {"id": user.lower(), "name": user},
            },
        }
        return {**config, "token": tokens.sign(config, self.secret)}

    def save(self, name, callback):
        """Raises an exception if the save could not be stored."""
        if callback["status"] not in (2, 6):
            return
        # Everybody who sees a document can submit it as a form, viewers too.
        if callback["status"] == 6 and callback.get("forcesavetype") == 3:
            raise OSError("submitted forms are not stored")
        if callback["filetype"] != name.split(".")[1]:
            raise OSError("the document was saved in another format")
        opened = int(callback["key"].rpartition("-")[2])
        content = self.fetch(callback["url"])
        with self.documents.lock:
            if self.documents.revision(name) > opened:
                if content == self.documents.read(name, opened + 1):
                    return  # a repeat: it is stored already
                raise OSError("the document was saved in another session in the meantime")
            # A force save does not end the session: its key, and so its revision, stays the same.
            self.documents.write(name, opened + 1 if callback["status"] == 2 else opened, content)

    def fetch(self, url):
        if urllib.parse.urlsplit(url)[:2] != urllib.parse.urlsplit(self.document_server)[:2]:
            raise OSError("the saved file is not at the document server")
        with _fetcher.open(url, timeout=60) as response:
            if int(response.headers.get("Content-Length", 0)) > LARGEST:
                raise OSError("the saved file is too large")
            return response.read()  # raises an exception if the response is truncated


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        url = urllib.parse.urlsplit(self.path)
        match = re.fullmatch(rf"/(config|download|documents)/({NAME})", url.path)
        revision = self.server.documents.revision(match[2]) if match else 0
        if revision == 0:
            return self.answer(404)
        kind, name = match.groups()
        if kind == "config":
            user = urllib.parse.parse_qs(url.query).get("user", ["Somebody"])[0]
            return self.answer_json(200, self.server.config(name, user), {"Cache-Control": "no-store"})
        if kind == "download" and not self.is_signed_download(name):
            return self.answer(403)
        self.answer(200, self.server.documents.read(name, revision))

    def do_POST(self):
        body = self.rfile.read(min(int(self.headers.get("Content-Length", 0)), LARGEST))
        match = re.fullmatch(rf"/callback/({NAME})", self.path)
        if not match:
            return self.answer(404)
        try:
            token = json.loads(body).get("token")  # the other fields of the body are not signed
            callback = tokens.verify(token, self.server.secret) if token else self.header_claims().get("payload")
        except (AttributeError, TypeError, ValueError):
            callback = None
        if not callback or not re.fullmatch(rf"{re.escape(match[1])}-\d+", str(callback.get("key"))):
            return self.answer_json(403, {"error": 1})
        try:
            self.server.save(match[1], callback)
        except Exception as error:  # after status 500 the document server tries again
            self.log_error("not saved: %s", error)
            return self.answer_json(500, {"error": 1})
        # After a 3 that is answered 0 the document server deletes the changes.
        self.answer_json(200, {"error": 1 if callback["status"] == 3 else 0})

    def is_signed_download(self, name):
        return self.header_claims().get("payload", {}).get("url") == f"{self.server.url}/download/{name}"

    def header_claims(self):
        return tokens.verify(self.headers.get("Authorization", "").removeprefix("Bearer "), self.server.secret) or {}

    def answer_json(self, status, value, headers={}):
        self.answer(status, json.dumps(value).encode(), {"Content-Type": "application/json", **headers})

    def answer(self, status, content=b"", headers={"Content-Type": "application/octet-stream"}):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        pass
