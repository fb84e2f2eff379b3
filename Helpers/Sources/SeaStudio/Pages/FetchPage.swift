import SeaKit

/// Fetches the content of a file from a container, after a confirmation that says how large it is and where it is.
enum FetchPage {
  static func show(_ visit: Visit) async throws -> Answer {
    let id = try visit.needed("id")
    let asset = try await AssetAnswer.find(visit)
    let places = try await visit.database.assets.whereabouts(of: asset)
    let fields = ["id", "path", "rev"].compactMap { name in visit.query[name].map { (name, $0) } }
    return try await visit.page("Fetch a file") {
      """
      <h1>Fetch this file?</h1>
      <p>\(asset.mimeType), \(Amount.size(asset.size)). \
      \(places.containers.isEmpty
        ? "No reachable container has it."
        : "It is in <strong><bdi>\(places.containers.joined(separator: ", "))</bdi></strong>." as HTML)</p>
      \(places.unreachable.isEmpty
        ? nil
        : "<p class=notice>Not reachable: <bdi>\(places.unreachable.joined(separator: ", "))</bdi>.</p>" as HTML?)
      \(Fragments.confirm(visit, action: "/fetch", fields: fields, button: "Fetch", back: Fragments.record(id)))
      \(Fragments.command(CommandText("fetch-assets", id)))
      """
    }
  }

  static func fetch(_ visit: Visit) async throws -> Answer {
    let id = try visit.needed("id")
    let names = try await visit.database.assets.fetch(AssetAnswer.find(visit))
    let text = names.isEmpty ? "The file is already here." : "Fetched from \(names.joined(separator: ", "))."
    return visit.done(
      Link("/record", [("id", id), ("rev", visit.form.fields["rev"])]),
      Note(text: text, command: CommandText("fetch-assets", id)))
  }
}
