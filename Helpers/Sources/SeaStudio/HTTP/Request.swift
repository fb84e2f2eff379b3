/// A request, as the program that speaks HTTP passes it on.
package struct Request: Sendable {
  package let method: String
  /// The path, still encoded. No address of this server needs an encoded path.
  package let path: String
  package let query: Parameters
  private let headers: [(name: String, value: String)]
  package let body: Body

  /// - Parameters:
  ///   - target: the path and the query.
  ///   - headers: in order; names in lower case.
  /// - Returns: nil if the query is not valid.
  package init?(
    method: String, target: String, headers: [(name: String, value: String)], body: Body = Body()
  ) {
    let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    guard let query = Parameters(parts.count > 1 ? parts[1] : "") else { return nil }
    (self.method, path, self.query) = (method, String(parts[0]), query)
    (self.headers, self.body) = (headers, body)
  }

  /// The value of a header; nil if it is missing or repeated.
  package subscript(header name: String) -> String? {
    let found = headers.filter { $0.name == name }
    return found.count == 1 ? found[0].value : nil
  }

  package func count(header name: String) -> Int { headers.count { $0.name == name } }

  package func cookie(_ name: String) -> String? {
    guard let text = self[header: "cookie"] else { return nil }
    let values = text.split(separator: ";").compactMap { pair -> String? in
      let pair = pair.drop { $0 == " " }
      return pair.hasPrefix(name + "=") ? String(pair.dropFirst(name.count + 1)) : nil
    }
    return values.count == 1 ? values[0] : nil
  }

  /// The content of a request, which arrives in pieces.
  package struct Body: Sendable {
    package let next: @Sendable () async throws -> [UInt8]?

    package init(_ next: @escaping @Sendable () async throws -> [UInt8]? = { nil }) { self.next = next }
  }
}
