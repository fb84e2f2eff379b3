import Dispatch
import Foundation
import SeaKit

/// A message of the chat.
struct Message: SeaRecord {
  static let recordType = "message"
  var id = RecordID.new()
  var from: String
  var text: String
  var at = Timestamp.now
}

/// A participant with a separate database.
struct Chat {
  let name: String
  let database: Database

  /// Opens the participant's database. The first time, it clones the database from the folder, or creates it there.
  static func open(_ container: String, _ name: String) async throws -> Chat {
    let variables = ProcessInfo.processInfo.environment
    let folder = variables["SEA_CHAT"] ?? "\(variables["HOME"] ?? ".")/.sea-chat-\(name)"
    do {
      return Chat(name: name, database: try await Database.open(folder))
    } catch let error as SeaError where error.code == .noDatabase {}
    do {
      return Chat(name: name, database: try await Database.clone(container, to: folder, name: name))
    } catch let error as SeaError where error.code == .unreachable || error.code == .notFound {
      let database = try await Database.open(folder, creating: "org.example.chat", name: name)
      try await database.addContainer("origin", at: container, creating: true)
      return Chat(name: name, database: database)
    }
  }

  /// Prints all messages, then new ones as they arrive.
  func show() async throws {
    let position = try await database.position()
    for message in try await database.fetch(Message.all.order(by: "at")) { show(message) }
    for try await change in database.changes(since: position, of: Message.recordType) where change.effect == .created {
      if let message = try await database.fetch(Message.self, id: change.id) { show(message) }
    }
  }

  private func show(_ message: Message) {
    say("\(message.from): \(message.text)")
  }
}

/// Prints a line immediately, even to a pipe. (`fflush` would wait for a thread that reads standard input.)
func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

/// The lines of standard input, read on a thread that may block.
let lines = AsyncStream<String> { lines in
  DispatchQueue.global().async {
    while let line = readLine() { lines.yield(line) }
    lines.finish()
  }
}

guard CommandLine.arguments.count == 3 else { fatalError("usage: example-chat CONTAINER NAME") }
do {
  let chat = try await Chat.open(CommandLine.arguments[1], CommandLine.arguments[2])
  let showing = Task { try await chat.show() }
  let sync = chat.database.automaticSync(every: .seconds(1)) { event in
    guard case .didFinish(.success(let report)) = event, let error = report.outcomes.first?.error else { return }
    say("chat: \(error.message)")
  }
  await sync.start()
  for await line in lines where !line.isEmpty {
    try await chat.database.save(Message(from: chat.name, text: line))
  }
  await sync.stop()
  // Push the last messages, too.
  try await chat.database.sync()
  showing.cancel()
  _ = try? await showing.value
} catch let error as SeaError {
  say("chat: \(error.message)")
}
