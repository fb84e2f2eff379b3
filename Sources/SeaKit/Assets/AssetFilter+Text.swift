extension AssetFilter: CustomStringConvertible {
  /// The filter as it is written; equal filters that were written alike have equal text.
  package var description: String {
    if isNone { return "none" }
    var parts: [String] = []
    if let maxSize { parts.append("max-size=\(maxSize)") }
    if let minSize { parts.append("min-size=\(minSize)") }
    parts += mimes.map { "mime=\($0)" } + types.map { "type=\($0)" }
    return parts.isEmpty ? "all" : parts.joined(separator: ",")
  }
}
