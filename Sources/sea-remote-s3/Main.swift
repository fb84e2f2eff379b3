import Glibc
import SeaHTTP
import SeaS3
import SeaSystem

/// One program for all helpers that use HTTP. The name with which it is called selects the helper.
@main
enum Main {
  static func main() {
    ThisProcess.guardStandardStreams()
    ThisProcess.disableCoreDumps()
    Trace.begin("sea-remote")
    // A closed connection should end the request, not the program.
    signal(SIGPIPE, SIG_IGN)
    let arguments = CommandLine.arguments
    let isTunnel = arguments.first.map { TunnelProgram.names.contains(Path.name($0)) } ?? false
    exit(isTunnel ? TunnelProgram.run(arguments) : S3Program.run(arguments))
  }
}
