import Synchronization

/// A message that a page shows once, about the change that led to the page.
struct Note: Sendable {
  let text: String
  /// The equivalent command.
  var command: CommandText?
  /// Where to go to reverse it.
  var link: (title: String, to: Link)?
}

/// The notes that wait for their page. Addresses contain only the keys of notes, so a forged address shows nothing.
final class Notes: Sendable {
  private let state = Mutex<(notes: [String: Note], order: [String])>(([:], []))
  private static let most = 100

  func keep(_ note: Note) -> String {
    let key = String(Secret.new().prefix(16))
    state.withLock { state in
      state.notes[key] = note
      state.order.append(key)
      if state.order.count > Notes.most { state.notes[state.order.removeFirst()] = nil }
    }
    return key
  }

  func take(_ key: String) -> Note? { state.withLock { $0.notes.removeValue(forKey: key) } }
}
