import SeaSystem
import SeaWords

extension Sea {
  /// The program as a process: real streams, real surroundings. `notUTF8`: the first argument that is not UTF-8, counted from the name of the program on.
  package static func main(_ arguments: [String], notUTF8: Int?) -> Int32 {
    ThisProcess.guardStandardStreams()
    ThisProcess.failsAtLargestFile()
    Trace.begin("sea")
    let session = Session(
      output: writer(.standardOutput()), talk: writer(.standardError()), input: reader(.standardInput()),
      host: .process())
    session.candidates = { [unowned session] kind, start, context in
      try Candidates(session, context).find(kind, start)
    }
    let status = run(
      program: arguments.first ?? "sea", Array(arguments.dropFirst()), notUTF8: notUTF8.flatMap { $0 > 0 ? $0 : nil },
      session)
    // A shell that runs several commands stops, too. Who wants this process to end for another reason than a key hears that it did.
    let key = ExitStatus.interrupted.rawValue - 128
    if let signal = Interruption.signal, status == .interrupted || signal != key { Interruption.die(of: signal) }
    return status.rawValue
  }

  private static func writer(_ file: File) -> Output {
    Output { bytes throws(SystemError) in try file.write(bytes) }
  }

  private static func reader(_ file: File) -> Input {
    Input { buffer throws(SystemError) in try file.readAwaited(into: buffer) }
  }
}
