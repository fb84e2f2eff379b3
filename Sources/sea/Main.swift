import Glibc
import SeaCommands

@main
enum Main {
  static func main() {
    // No array of optionals: the runtime makes that type in a fiftieth of the time that one put takes.
    var arguments: [String] = []
    var notUTF8: Int?
    // A closure would be held to the main actor when it is called, and all of concurrency and libdispatch come with that:
    // a tenth of the start-up time.
    let all = found() ?? CommandLine.unsafeArgv
    var index = 0
    while let argument = all[index] {
      let text = String(validatingCString: argument)
      if text == nil, notUTF8 == nil { notUTF8 = index }
      arguments.append(text ?? "")
      index += 1
    }
    exit(Sea.main(arguments, notUTF8: notUTF8))
  }

  /// The kernel puts the number of the arguments, the arguments, nil, and the environment one behind the other. The standard
  /// library asks /proc where that is, which need not be there.
  private static func found() -> UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? {
    var first = environ - 1
    guard first.pointee == nil else { return nil }
    var count = 0
    while count < 1 << 20, Int(bitPattern: (first - 1).pointee) != count {
      first -= 1
      count += 1
    }
    return first
  }
}

/// At its start the runtime looks for the program that shows where another one has crashed, and ends where /proc does not tell it
/// its own place. Static programs bring none along.
@_cdecl("swift_copyAuxiliaryExecutablePath")
func noAuxiliaryProgram(_ name: UnsafePointer<CChar>?) -> UnsafeMutablePointer<CChar>? { nil }
