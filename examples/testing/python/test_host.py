import json
import secrets
import tempfile
import threading
import unittest
import urllib.error
import urllib.request

from emulator import Emulator, Refused
from host import Host


class HostTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        secret = secrets.token_hex(32)
        cls.emulator = Emulator(secret)
        directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(directory.cleanup)
        cls.host = Host(secret, cls.emulator.url, directory.name)
        threading.Thread(target=cls.host.serve_forever, daemon=True).start()
        cls.addClassCleanup(cls.host.server_close)
        cls.addClassCleanup(cls.host.shutdown)
        cls.addClassCleanup(cls.emulator.stop)  # called first, because it was added last: it saves open documents

    def create(self, text):
        name = f"{self._testMethodName.replace('_', '')}.txt"
        self.host.documents.write(name, 1, text)
        return name

    def open(self, name, user="Ada"):
        with urllib.request.urlopen(f"{self.host.url}/config/{name}?user={user}") as response:
            return self.emulator.open(json.load(response))

    def stored(self, name):
        with urllib.request.urlopen(f"{self.host.url}/documents/{name}") as response:
            return response.read()

    def test_saved(self):
        name = self.create(b"first draft")
        ada = self.open(name)
        self.assertEqual(ada.content(), b"first draft")
        ada.edit("second draft")
        self.assertEqual(self.stored(name), b"first draft", "nothing is stored while she writes")
        self.assertTrue(ada.close()["accepted"])
        self.assertEqual(self.stored(name), b"second draft")

        bob = self.open(name, "Bob")
        self.assertNotEqual(bob.key, ada.key)
        self.assertFalse(bob.view_only)
        bob.close()

    def test_forced(self):
        name = self.create(b"first draft")
        ada = self.open(name)
        ada.edit(b"by Ada")
        self.assertTrue(ada.force_save()["accepted"])
        self.assertEqual(self.stored(name), b"by Ada")
        bob = self.open(name, "Bob")
        self.assertEqual(bob.key, ada.key)
        ada.close()
        bob.close()

    def test_lost_connection(self):
        name = self.create(b"first draft")
        session = self.open(name)
        session.edit("second draft")
        session.disconnect()
        self.assertEqual(self.stored(name), b"first draft")
        self.emulator.advance(5000)
        self.assertEqual(self.emulator.next_callback(2, session.key)["answer"], {"status": 200, "body": {"error": 0}})
        self.assertEqual(self.stored(name), b"second draft")

    def test_cut_off(self):
        name = self.create(b"first draft")
        session = self.open(name)
        session.edit("second draft")
        fault = self.emulator.fault("file", {"type": "reset", "afterBytes": 6}, times="always")
        session.disconnect()
        self.emulator.advance(15_000)
        self.assertEqual(self.emulator.next_callback(2, session.key)["answer"]["status"], 500)
        self.assertEqual(self.stored(name), b"first draft")
        self.emulator.call("DELETE", f"/faults/{fault}")

        again = self.open(name, "Bob")
        self.assertEqual(again.key, session.key, "the document server keeps the save under its key")
        self.assertEqual(again.content(), b"second draft")
        self.assertTrue(again.close()["accepted"])
        self.assertEqual(self.stored(name), b"second draft")

    def test_not_signed(self):
        name = self.create(b"first draft")
        config = self.host.config(name, "Ada")
        with self.assertRaises(Refused) as refused:
            self.emulator.open({**config, "token": config["token"][:-3] + "xxx"})
        self.assertEqual(refused.exception.code, 4006)

        forged = json.dumps({"key": config["document"]["key"], "status": 2, "url": self.emulator.url}).encode()
        with self.assertRaises(urllib.error.HTTPError) as answer:
            urllib.request.urlopen(f"{self.host.url}/callback/{name}", data=forged)
        answer.exception.close()
        self.assertEqual(answer.exception.code, 403)
        self.assertEqual(self.stored(name), b"first draft")


if __name__ == "__main__":
    unittest.main()
