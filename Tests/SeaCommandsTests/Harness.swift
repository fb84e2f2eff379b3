import SeaEngine
import SeaCommands
import SeaSystem
import SeaTestSupport

/// What one run of the program left behind.
struct Outcome {
  var status: Int32 = -1
  var output: [UInt8] = []
  var errors: [UInt8] = []
  /// The program it became, or ran.
  var program: Program?
  /// What was asked at the terminal.
  var prompts: [String] = []

  var out: String { String(decoding: output, as: UTF8.self) }
  var err: String { String(decoding: errors, as: UTF8.self) }
  var outLines: [String] { out.split(separator: "\n").map(String.init) }
  var errLines: [String] { err.split(separator: "\n").map(String.init) }
}

/// One run of the program in this process: no terminal, an empty environment, a fixed clock.
struct Run {
  var program = "sea"
  var input: [UInt8] = []
  var variables: [String: String] = [:]
  var directory = "/"
  var terminals: Set<Int32> = []
  var columns: Int?
  var now: Int64 = 1_787_370_060_000
  var offset = 0
  var executables: Set<String> = []
  /// The error number that writing to standard output ends with.
  var outputFault: Int32?
  /// What is typed at the terminal; nil: there is none.
  var typed: [String]?
  /// What programs that are run do.
  var programs: (Program) throws -> Launch.Ending = { _ in .exited(0) }
  /// What programs print first, by their path; the others fail.
  var answers: [String: String] = [:]

  init(input: String = "") { self.input = Array(input.utf8) }

  /// - Parameter words: the arguments; nil is one that is not UTF-8.
  func callAsFunction(_ words: String?...) -> Outcome { run(words) }

  func run(_ words: [String?]) -> Outcome {
    let outcome = Box()
    let session = session(outcome)
    let notUTF8 = words.firstIndex(of: nil).map { $0 + 1 }
    outcome.value.status = Sea.run(program: program, words.map { $0 ?? "?" }, notUTF8: notUTF8, session).rawValue
    return outcome.value
  }

  func session(_ outcome: Box = Box()) -> Session {
    var input = self.input[...]
    let fault = outputFault
    let output = Output { bytes throws(SystemError) in
      if let fault { throw SystemError(call: "write", errno: fault, path: "standard output") }
      outcome.value.output += bytes
    }
    let talk = Output { bytes throws(SystemError) in outcome.value.errors += bytes }
    // In small pieces, so that every reader has to put its lines together.
    let reader = Input { buffer throws(SystemError) in
      let piece = input.prefix(min(buffer.count, 1000))
      buffer.copyBytes(from: piece)
      input = input.dropFirst(piece.count)
      return piece.count
    }
    var host = Environment.process()
    host.variable = { self.variables[$0] }
    host.directory = { self.directory }
    host.now = { self.now }
    host.random = { [UInt8](repeating: 7, count: $0) }
    host.isTerminal = self.terminals.contains
    host.columns = { _ in self.columns }
    host.offset = { _ in self.offset }
    host.executable = { "/opt/sea/bin/sea" }
    host.exists = self.executables.contains
    host.isExecutable = self.executables.contains
    host.replaceProcess = { outcome.value.program = $0 }
    host.run = { program, _ in
      outcome.value.program = program
      return try self.programs(program)
    }
    host.answer = {
      outcome.value.program = $0
      guard let answer = self.answers[$0.path] else { return ([], 3) }
      return (Array(answer.utf8), 0)
    }
    host.ask = {
      guard let typed = self.typed else { return nil }
      outcome.value.prompts.append($0)
      return Array(typed[outcome.value.prompts.count - 1].utf8)
    }
    host.askOpenly = { _ in nil }
    return Session(output: output, talk: talk, input: reader, host: host)
  }

  final class Box { var value = Outcome() }
}

/// The root of the package, from the place of this file.
let packageRoot = String(#filePath.dropLast("/Tests/SeaCommandsTests/Harness.swift".utf8.count))

func read(_ path: String) throws -> String {
  String(decoding: try File(Path.join(packageRoot, path)).readAll(limit: 1 << 26) ?? [], as: UTF8.self)
}

/// A new empty folder, which lasts as long as the tests do.
func scratch() throws -> String { try ScratchFolder.lasting() }

/// Ours, and not the one of the testing library.
typealias ExitStatus = SeaEngine.ExitStatus
