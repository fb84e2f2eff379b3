"""Places elsewhere on this machine, for benchmarks: sshd, sea-server, and servers of S3, with what counts their requests in front.

What is started ends with the program. Servers of S3 are those of the tests: make test has put them there."""
import atexit, json, os, shutil, signal, socket, subprocess, time

root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
servers = os.environ.get("S3_SERVERS", root + "/.build/s3-servers")
started = []


def end():
    for process in started:
        process.kill()
        process.wait()


atexit.register(end)
for number in (signal.SIGTERM, signal.SIGHUP):
    signal.signal(number, lambda number, _: exit(128 + number))


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def start(words, log, **more):
    with open(log, "wb") as file:
        process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=file, stderr=file, **more)
    started.append(process)
    return process


def wait_for(port):
    for _ in range(300):
        try:
            return socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.1)
    raise SystemExit(f"nobody answers at port {port}")


class Place:
    """name, and at(FOLDER): the location of a container there; env: what a program needs to reach it."""

    env, is_counted = {}, False

    def counted(self):
        return None


class Folder(Place):
    name = "folder"

    def __init__(self, work):
        self.work = work

    def at(self, name):
        return f"{self.work}/{name}"


class SSH(Place):
    """A server of ssh of one's own, on the loopback, with keys of its own; or, bare and where there is none, the command behind it."""

    def __init__(self, work, sea, bare=False):
        self.work = work
        os.makedirs(work + "/ssh", exist_ok=True)
        if bare or not os.path.exists("/usr/sbin/sshd"):
            self.name, self.port = "sea serve", 22
            with open(work + "/ssh/ssh", "w") as file:
                file.write(f'#!/bin/sh\nfor last; do :; done\nPATH={os.path.dirname(sea)}:$PATH exec sh -c "$last"\n')
            os.chmod(work + "/ssh/ssh", 0o755)
            self.env = {"SEA_SSH": work + "/ssh/ssh"}
            return
        self.name, self.port, top = "ssh", free_port(), work + "/ssh"
        for key in ("host", "key"):
            if not os.path.exists(f"{top}/{key}"):
                subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", f"{top}/{key}"], check=True)
        shutil.copy(top + "/key.pub", top + "/authorized")
        with open(top + "/host.pub") as file, open(top + "/known", "w") as known:
            known.write(f"[127.0.0.1]:{self.port} " + " ".join(file.read().split()[:2]) + "\n")
        if os.getuid() == 0:
            os.makedirs("/run/sshd", exist_ok=True)
        with open(top + "/sshd.conf", "w") as file:
            file.write(
                f"Port {self.port}\nListenAddress 127.0.0.1\nHostKey {top}/host\nPidFile none\n"
                f"AuthorizedKeysFile {top}/authorized\nStrictModes no\nUsePAM no\nPasswordAuthentication no\n"
                f"KbdInteractiveAuthentication no\nMaxStartups 200\nSetEnv PATH={os.path.dirname(sea)}:/usr/bin:/bin\n")
        start(["/usr/sbin/sshd", "-D", "-e", "-f", top + "/sshd.conf"], top + "/log")
        wait_for(self.port)
        self.env = {
            "SEA_SSH": f"ssh -F none -i {top}/key -o IdentitiesOnly=yes -o BatchMode=yes -o UserKnownHostsFile={top}/known"}

    def at(self, name):
        user = subprocess.run(["id", "-un"], capture_output=True, text=True).stdout.strip()
        return f"ssh://{user}@127.0.0.1:{self.port}{self.work}/{name}"


class Server(Place):
    """sea-server on the loopback, over TLS with an authority of its own: `make server` has built it, or SEA_SERVER names it."""

    name = "sea-server"
    program = os.environ.get("SEA_SERVER", root + "/.build/release/sea-server")

    def __init__(self, work, sea):
        self.port, top = free_port(), work + "/server"
        os.makedirs(top + "/containers", exist_ok=True)

        def make(*words):
            done = subprocess.run(words, cwd=top, capture_output=True, text=True)
            if done.returncode:
                raise SystemExit(f"{' '.join(words)}: {done.stderr}")
            return done.stdout

        new = ("openssl", "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")
        make(*new, "-x509", "-keyout", "ca.key", "-out", "ca.pem", "-days", "30", "-subj", "/CN=authority")
        make(*new, "-keyout", "key.pem", "-out", "request.pem", "-subj", "/CN=localhost")
        with open(top + "/names", "w") as file:
            file.write("subjectAltName=IP:127.0.0.1\n")
        make(
            "openssl", "x509", "-req", "-in", "request.pem", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "30",
            "-extfile", "names", "-out", "cert.pem")
        with open(top + "/conf", "w") as file:
            file.write(
                f"listen = 127.0.0.1:{self.port}\ncontainers = containers\ntokens = tokens\nsea = {sea}\n"
                "certificate = cert.pem\nkey = key.pem\nrequests-per-minute = 1000000\n")
        with open(os.open(top + "/token", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            file.write(make(self.program, "add-token", "--config=conf", "bench", "*"))
        start([self.program, "--config=conf"], top + "/log", cwd=top)
        wait_for(self.port)
        self.env = {"SEA_CA_FILE": top + "/ca.pem", "SEA_TOKEN_COMMAND": "cat " + top + "/token"}
        if not os.path.exists(os.path.dirname(sea) + "/sea-remote-sea+https"):
            # A name that make install gives to the helper for S3.
            os.makedirs(top + "/bin", exist_ok=True)
            helper = os.path.dirname(sea) + "/sea-remote-s3"
            if not os.path.exists(top + "/bin/sea-remote-sea+https"):
                os.symlink(helper, top + "/bin/sea-remote-sea+https")
            self.env["SEA_EXEC_PATH"] = top + "/bin"

    def at(self, name):
        return f"sea+https://127.0.0.1:{self.port}/{name}"


class S3(Place):
    """moto or rclone; with `counts` a line in front of it counts requests and bytes."""

    def __init__(self, work, kind, counts=False):
        self.name, self.work, self.kind, self.is_counted = "s3, " + kind, f"{work}/{kind}", kind, counts
        if not os.path.exists(f"{servers}/bin/{'moto_server' if kind == 'moto' else 'rclone'}"):
            raise SystemExit(f"no {kind} in {servers}: make test puts it there, or say where with S3_SERVERS")
        os.makedirs(self.work, exist_ok=True)
        self.server_port = port = free_port()
        if kind == "moto":
            start([servers + "/bin/moto_server", "-H", "127.0.0.1", "-p", str(port)], self.work + "/log")
        else:
            os.makedirs(self.work + "/store/bucket", exist_ok=True)
            start(
                [servers + "/bin/rclone", "serve", "s3", "--config", "/dev/null", "--addr", f"127.0.0.1:{port}",
                 "--auth-key", "KEYID,secretkey", "--vfs-cache-mode", "off", self.work + "/store"], self.work + "/log")
        wait_for(port)
        if kind == "moto":
            import urllib.request
            urllib.request.urlopen(urllib.request.Request(f"http://127.0.0.1:{port}/bucket", method="PUT"))
        if counts:
            self.counter = start(["python3", root + "/Benchmarks/wire.py", str(port), self.work], self.work + "/wire.log")
            while not os.path.exists(self.work + "/port"):
                time.sleep(0.02)
            with open(self.work + "/port") as file:
                port = int(file.read())
        self.port = port
        self.env = {
            "AWS_ACCESS_KEY_ID": "KEYID", "AWS_SECRET_ACCESS_KEY": "secretkey", "AWS_CONFIG_FILE": "/dev/null",
            "AWS_SHARED_CREDENTIALS_FILE": "/dev/null", "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}"}

    def at(self, name):
        # A database that has both of them attached knows them by their locations.
        return f"s3://bucket/{self.kind}/{name}"

    def counted(self):
        """What has gone over the line since this was asked last."""
        if os.path.exists(self.work + "/counts"):
            os.remove(self.work + "/counts")
        self.counter.send_signal(signal.SIGUSR1)
        while not os.path.exists(self.work + "/counts"):
            time.sleep(0.01)
        with open(self.work + "/counts") as file:
            return json.load(file)
