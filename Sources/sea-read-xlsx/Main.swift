import Glibc
import SeaSystem
import SeaXLSX

@main
enum Main {
  static func main() {
    ThisProcess.guardStandardStreams()
    ThisProcess.disableCoreDumps()
    Trace.begin("sea-read-xlsx")
    exit(XLSXProgram.run(CommandLine.arguments))
  }
}
