import Glibc
import SeaCommands

@main
enum Main {
  static func main() {
    // Avoid an array of optionals. Creating that type at run time takes 2% of the time of a `put`.
    var arguments: [String] = []
    var notUTF8: Int?
    // A closure would run on the main actor, which loads the concurrency library and libdispatch. That takes a tenth of
    // the start-up time.
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

  /// Returns the arguments of this process. The kernel stores the argument count, the arguments, nil and the
  /// environment in sequence. The standard library instead reads their address from /proc, which may be missing.
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

/// The runtime searches for its crash reporter at startup, and fails if /proc does not provide the program path. Static
/// programs have no crash reporter.
@_cdecl("swift_copyAuxiliaryExecutablePath")
func noAuxiliaryProgram(_ name: UnsafePointer<CChar>?) -> UnsafeMutablePointer<CChar>? { nil }
