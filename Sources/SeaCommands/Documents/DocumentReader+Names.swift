extension DocumentReader {
  /// Whether a file's name says that it is what `load` reads.
  static func isForeign(_ name: String) -> Bool {
    [".csv", ".tsv", ".db", ".sqlite", ".sqlite3"].contains(ending(name))
  }

  /// Whether a name is meant as one of a file with records.
  static func isFile(_ name: String) -> Bool {
    isForeign(name) || [".json", ".jsonl", ".ndjson"].contains(ending(name))
  }

  private static func ending(_ name: String) -> String? {
    name.utf8.lastIndex(of: UInt8(ascii: ".")).map { name[$0...].lowercased() }
  }
}
