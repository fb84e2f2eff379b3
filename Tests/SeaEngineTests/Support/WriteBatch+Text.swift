import SeaCore
import SeaEngine

extension WriteBatch {
  /// Adds a record given as JSON.
  func add(_ text: String, _ options: Options = .init()) throws {
    let bytes = Array(text.utf8)
    try bytes.withUnsafeBufferPointer { buffer in
      var tape = JSONTape()
      _ = try tape.parse(buffer, at: 0)
      try add(tape, buffer, options)
    }
  }
}
