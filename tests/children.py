"""Processes that end with the test that starts them, however that ends: a server that is left behind holds the test's output
open, and who runs the test waits for it."""
import atexit
import subprocess


class Popen(subprocess.Popen):
    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        atexit.register(self.end_with_test)

    def end_with_test(self):
        if self.poll() is None:
            self.kill()
