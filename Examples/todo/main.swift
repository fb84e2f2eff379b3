import Dispatch
import Foundation
import SeaKit

/// An item of the to-do list.
struct Item: SeaRecord {
  static let recordType = "item"
  var id = RecordID.new()
  var text: String
  var isDone = false
  var added = Timestamp.now
}

/// A list in the terminal. It belongs to the main actor, as the user interface of other programs does.
@MainActor final class Window {
  private let database: Database
  private let list: LiveList<Item>

  init(_ database: Database) {
    self.database = database
    list = LiveList(database, Item.all.order(by: "added"))
    list.onUpdate = { list, _ in Window.show(list.elements) }
  }

  private static func show(_ items: [Item]) {
    if items.isEmpty { say("nothing to do") }
    for (k, item) in items.enumerated() { say("\(k + 1). [\(item.isDone ? "x" : " ")] \(item.text)") }
  }

  /// - Returns: whether to continue.
  func run(_ line: String) async throws -> Bool {
    let words = line.split(separator: " ", maxSplits: 1).map(String.init)
    switch (words.first, words.count > 1 ? words[1] : nil) {
    case ("add", let text?): try await database.save(Item(text: text))
    case ("done", let number?):
      try await change(number) { item, transaction in
        var item = item
        item.isDone = true
        try transaction.save(item)
      }
    case ("remove", let number?): try await change(number) { try $1.delete($0) }
    case ("quit", _): return false
    default: say("add TEXT, done NUMBER, remove NUMBER, quit")
    }
    return true
  }

  private func change(
    _ number: String, _ body: @escaping @Sendable (Item, WriteTransaction) throws -> Void
  ) async throws {
    guard let number = Int(number), list.elements.indices.contains(number - 1) else {
      return say("there is no item \(number)")
    }
    let id = list.elements[number - 1].id
    try await database.write { transaction in
      // Another window may have removed the item.
      if let item = try transaction.fetch(Item.self, id: id) { try body(item, transaction) }
    }
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

guard CommandLine.arguments.count == 2 else { fatalError("usage: example-todo FOLDER") }
do {
  let database = try await Database.open(CommandLine.arguments[1], creating: "org.example.todo")
  let window = Window(database)
  for await line in lines where try await !window.run(line) { break }
  await database.close()
} catch let error as SeaError {
  say("todo: \(error.message)")
}
