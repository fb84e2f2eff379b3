import Glibc
import SeaS3
import SeaSystem

@main
enum Main {
  static func main() {
    ThisProcess.guardStandardStreams()
    ThisProcess.disableCoreDumps()
    Trace.begin("sea-remote")
    // A server that hangs up ends a request, not this program.
    signal(SIGPIPE, SIG_IGN)
    exit(S3Program.run(CommandLine.arguments))
  }
}
