"""An HTTP proxy in front of an S3 server that fails now and then, as lines and servers do.

    proxy.py UPSTREAM-PORT FOLDER [--faults KIND,...] [--one-in N] [--seed N] [--gone-after N]

FOLDER/most has how many requests were under way at once at most. Listens on a free port of 127.0.0.1, which it writes to FOLDER/port; each request is a line of FOLDER/requests, each fault
a line of FOLDER/faults. Of N requests about one fails. With --gone-after nobody answers any more after so many. The kinds:

    403 404 429 500 503   answered so, and the server is not asked
    late                  the server does it, the answer is 500
    garbage               answered with 200 and what is no answer
    cut                   the line is cut before the server is asked
    lost                  the server does it, the line is cut before the answer
    half                  the line is cut in the middle of the answer
    part                  the line is cut after any number of bytes of the answer, be they of its head
    slow                  the answer comes half a second later
    twice                 the server is asked twice, the second answer counts
    old                   a listing as it was some requests ago
"""
import argparse, http.client, http.server, io, os, random, signal, socket, threading, time

KINDS = "403 404 429 500 503 late garbage cut lost half part slow twice old".split()
parser = argparse.ArgumentParser()
parser.add_argument("upstream", type=int)
parser.add_argument("folder")
parser.add_argument("--faults", default="")
parser.add_argument("--one-in", type=int, default=8)
parser.add_argument("--seed", type=int, default=1)
parser.add_argument("--gone-after", type=int, default=1 << 30)
options = parser.parse_args()
faults = options.faults.split(",") if options.faults else []
if options.faults == "all":
    faults = KINDS
chance, lock = random.Random(options.seed), threading.Lock()
asked, listings, under_way, most = 0, {}, 0, 0
BROKEN = (OSError, http.client.HTTPException)


def note(name, line):
    with lock, open(f"{options.folder}/{name}", "a") as file:
        file.write(line + "\n")


def count(step):
    global under_way, most
    with lock:
        under_way += step
        if under_way > most:
            most = under_way
            with open(f"{options.folder}/most", "w") as file:
                file.write(f"{most}\n")


def choose(is_list):
    global asked
    with lock:
        asked += 1
        if asked > options.gone_after:
            threading.Thread(target=server.shutdown).start()
            return "cut"
        if not faults or chance.randrange(options.one_in):
            return None
        return chance.choice([one for one in faults if is_list or one != "old"] or [None])


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def upstream(self, body):
        line = http.client.HTTPConnection("127.0.0.1", options.upstream, timeout=30)
        try:
            line.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
            for name, value in self.headers.items():
                if name.lower() not in ("connection", "expect"):
                    line.putheader(name, value)
            line.endheaders(body or None)
            answer = line.getresponse()
            return answer.status, answer.getheaders(), answer.read()
        finally:
            line.close()

    # Who asks next has read the answer: a request that is being answered is no longer under way.
    def answered(self):
        if self.waits:
            self.waits = False
            count(-1)

    def give(self, status, headers, body, cut=False):
        self.answered()
        self.send_response_only(status)
        for name, value in headers:
            if name.lower() not in ("connection", "transfer-encoding", "content-length"):
                self.send_header(name, value)
        length = dict((name.lower(), value) for name, value in headers).get("content-length")
        self.send_header("Content-Length", length if self.command == "HEAD" and length else str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body[:len(body) // 2] if cut else body)
        if cut:
            self.cut()

    def give_part(self, *found):
        line, self.wfile = self.wfile, io.BytesIO()
        try:
            self.give(*found)
            whole = self.wfile.getvalue()
        finally:
            self.wfile = line
        line.write(whole[:chance.randrange(len(whole))])
        self.cut()

    def cut(self):
        self.answered()
        self.close_connection = True
        try:
            self.connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass

    def answer(self):
        count(1)
        self.waits = True
        try:
            self.do()
        finally:
            self.answered()

    def do(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        is_list = self.command == "GET" and "list-type=2" in self.path
        kind = choose(is_list)
        note("requests", f"{self.command} {self.path}")
        if kind:
            note("faults", f"{kind} {self.command} {self.path}")
        try:
            if kind in ("403", "404", "429", "500", "503"):
                return self.give(int(kind), [], b"<html>no</html>")
            if kind == "garbage":
                return self.give(200, [], b"<html><body>Welcome to the hotel")
            if kind == "cut":
                return self.cut()
            if kind == "twice":
                self.upstream(body)
            if kind == "old" and self.path in listings:
                return self.give(*listings[self.path])
            found = self.upstream(body)
            if is_list and chance.randrange(3) == 0:
                listings[self.path] = found
            if kind == "late":
                return self.give(500, [], b"")
            if kind == "lost":
                return self.cut()
            if kind == "slow":
                time.sleep(0.5)
            if kind == "part":
                return self.give_part(*found)
            self.give(*found, cut=kind == "half")
        except BROKEN:
            self.cut()

    do_GET = do_PUT = do_POST = do_DELETE = do_HEAD = answer


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, *_):
        pass


server = Server(("127.0.0.1", 0), Handler)
with open(f"{options.folder}/port.new", "w") as file:
    file.write(str(server.server_address[1]))
os.rename(f"{options.folder}/port.new", f"{options.folder}/port")
server.serve_forever()
server.socket.close()
signal.pause()
