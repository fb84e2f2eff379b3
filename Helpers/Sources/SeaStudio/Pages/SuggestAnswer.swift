import SeaKit

/// Records whose titles or ids contain a text, as JSON: `[{"id":"p/1","title":"Store A"}]`. The script of a form offers
/// them for references.
enum SuggestAnswer {
  private static let most = 20
  private static let patience = Duration.milliseconds(300)

  static func show(_ visit: Visit) async throws -> Answer {
    let search = TextSearch(visit.query["q"] ?? "")
    let found = try await visit.database.read { transaction in
      let end = ContinuousClock.now + patience
      var (found, seen): ([String], Int) = ([], 0)
      try transaction.forEach(Query<Record>.records()) { record in
        if search.finds(Title.of(record) ?? "") || search.finds(record.id) {
          let title = JSONText.string(Title.described(record))
          found.append("{\"id\":\(JSONText.string(record.id)),\"title\":\(title)}")
        }
        seen += 1
        return found.count < most && (!seen.isMultiple(of: 256) || ContinuousClock.now < end)
      }
      return found
    }
    return Answer(200, "application/json", .bytes(Array("[\(found.joined(separator: ","))]".utf8)))
  }
}

enum JSONText {
  /// Returns a string in JSON.
  static func string(_ text: String) -> String {
    var all = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": all += "\\\""
      case "\\": all += "\\\\"
      case _ where scalar.value < 0x20 || scalar.value == 0x7F: all += "\\u00\(Hex.byte(UInt8(scalar.value)))"
      default: all.unicodeScalars.append(scalar)
      }
    }
    return all + "\""
  }
}
