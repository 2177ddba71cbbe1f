"""Starts onlyoffice-emulator and controls it over HTTP."""

import json
import os
import shlex
import subprocess
import urllib.error
import urllib.request

COMMAND = os.environ.get("ONLYOFFICE_EMULATOR", "node_modules/.bin/onlyoffice-emulator")


class Refused(Exception):
    """An error of the emulator: `code` is the one that the editor shows, or a word."""

    def __init__(self, answer):
        super().__init__(answer["message"])
        self.code = answer["code"]


class Emulator:
    def __init__(self, secret):
        environment = {**os.environ, "JWT_SECRET": secret}
        command = [*shlex.split(COMMAND), "--port", "0", "--fake-clock", "--libre-office", "no"]
        self.process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        if not line.startswith("Listening: "):
            raise RuntimeError(f"the emulator did not start: {line}")
        self.url = line.removeprefix("Listening: ").strip()

    def stop(self):
        """It saves open documents first."""
        self.process.terminate()
        self.process.stdout.close()
        return self.process.wait(timeout=20)

    def call(self, method, path, body=None):
        content = body if isinstance(body, bytes) else json.dumps(body or {}).encode()
        content_type = "application/octet-stream" if isinstance(body, bytes) else "application/json"
        request = urllib.request.Request(
            f"{self.url}/emulator{path}",
            data=None if method == "GET" else content,
            headers={"Content-Type": content_type},
            method=method,
        )
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                answer = response.read()
                return json.loads(answer) if "json" in response.headers["Content-Type"] else answer
        except urllib.error.HTTPError as error:
            with error:
                raise Refused(json.load(error)) from None

    def open(self, config):
        return Session(self, self.call("POST", "/sessions", {"config": config}))

    def next_callback(self, status, key):
        """The next callback of a document with this status, with what the application answered."""
        return self.call("GET", f"/next-callback?status={status}&key={key}")

    def fault(self, route, fault, **options):
        return self.call("POST", "/faults", {"route": route, "fault": fault, "options": options})["id"]

    def advance(self, milliseconds):
        self.call("POST", "/clock", {"advance": milliseconds})


class Session:
    def __init__(self, emulator, opened):
        self.emulator = emulator
        self.path = f"/sessions/{opened['id']}"
        self.key = opened["key"]
        self.view_only = opened["viewOnly"]

    def content(self):
        return self.emulator.call("GET", f"{self.path}/content")

    def edit(self, content):
        self.emulator.call("POST", f"{self.path}/edit", content if isinstance(content, bytes) else {"text": content})

    def force_save(self):
        return self.emulator.call("POST", f"{self.path}/force-save")

    def disconnect(self):
        self.emulator.call("POST", f"{self.path}/disconnect")

    def close(self):
        return self.emulator.call("POST", f"{self.path}/close")
