import Glibc
import SeaCommands

@main
enum Main {
  static func main() {
    let arguments = (0..<Int(CommandLine.argc)).map { index in
      CommandLine.unsafeArgv[index].flatMap { String(validatingCString: $0) }
    }
    exit(Sea.main(arguments))
  }
}
