import SeaKit

/// The database and its containers, of which a page shows one. Only attached containers can be chosen: an address of a
/// page must not reach anything else.
struct Places {
  let containers: [AttachedContainer]
  /// The name of the container that is shown; nil for the database.
  let shown: String?

  init(_ visit: Visit) async throws {
    containers = try await visit.database.containers()
    shown = visit.query["in"]
    if let shown, !containers.contains(where: { $0.name == shown }) {
      throw Refusal(404, "no container named '\(shown)' is attached")
    }
  }

  func tabs(_ path: StaticString, _ more: [(String, String?)] = []) -> HTML? {
    if containers.isEmpty { return nil }
    let all: [String?] = [nil] + containers.map(\.name)
    let items: [HTML] = all.map { name in
      """
      <li><a href="\(Link(path, [("in", name)] + more))"\(name == shown ? " aria-current=page" : "")>\
      <bdi>\(name ?? "This database")</bdi></a></li>
      """
    }
    return "<nav class=tabs aria-label=\"Places\"><ul class=plain>\(items)</ul></nav>"
  }
}
