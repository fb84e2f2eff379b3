import SeaKit

/// Server-sent events: one `changed` for changes of any kind. A page then asks `NewsAnswer` for their number.
enum EventsAnswer {
  private static let beat = Duration.seconds(15)

  static func show(_ visit: Visit) async throws -> Answer {
    let watcher = visit.studio.watcher
    return Answer(
      200, "text/event-stream",
      .events { send in
        let changes = watcher.listen()
        try await send(Array("retry: 2000\n\nevent: ready\ndata:\n\n".utf8))
        // The heartbeat finds out that a browser has left.
        let (beats, continuation) = AsyncStream.makeStream(of: String.self, bufferingPolicy: .bufferingNewest(4))
        let tasks = [
          Task {
            for await _ in changes {
              continuation.yield("event: changed\ndata:\n\n")
              // A hundred changes in a second are one for people.
              try await Task.sleep(for: .milliseconds(300))
            }
            continuation.finish()
          },
          Task {
            while true {
              try await Task.sleep(for: beat)
              continuation.yield(": \n\n")
            }
          },
        ]
        defer { for task in tasks { task.cancel() } }
        for await text in beats { try await send(Array(text.utf8)) }
      })
  }
}

/// How many changes there were since a page was made, as JSON: `{"changes":3,"here":1,"deleted":false}`.
enum NewsAnswer {
  private static let most = 200

  static func show(_ visit: Visit) async throws -> Answer {
    guard let since = Position(try visit.needed("since")) else { throw Refusal(400, "the position is not valid") }
    let (type, id) = (visit.query["type"], visit.query["id"])
    let end = try await visit.database.position()
    var (count, own) = (0, 0)
    if end != since {
      let changes = visit.database.changes(since: since)
      (count, own) = try await Deadline.within(.seconds(2)) {
        var (count, own, seen) = (0, 0, 0)
        for try await change in changes {
          if id.map({ $0 == change.id }) ?? true, type.map({ $0 == change.type ?? "" }) ?? true {
            count += 1
            if change.isOwn { own += 1 }
          }
          seen += 1
          if change.position == end || seen >= most { break }
        }
        return (count, own)
      }
    }
    return Answer(200, "application/json", .bytes(Array("{\"changes\":\(count),\"own\":\(own)}".utf8)))
  }
}
