import Glibc
import SeaCommands

@main
enum Main {
  static func main() {
    var arguments: [String?] = []
    // A closure would be held to the main actor when it is called, and all of concurrency and libdispatch come with that:
    // a tenth of the start-up time.
    for index in 0..<Int(CommandLine.argc) {
      if let argument = CommandLine.unsafeArgv[index] { arguments.append(String(validatingCString: argument)) }
    }
    exit(Sea.main(arguments))
  }
}
