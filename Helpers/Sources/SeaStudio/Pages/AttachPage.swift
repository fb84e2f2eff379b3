import SeaKit

/// Attaches a container, with a form that explains each field, and a check before anything is changed.
enum AttachPage {
  private struct Wanted {
    var name = ""
    var location = ""
    var creates = false
    var isReadOnly = false
    var isAutomatic = true
    var assets = ""

    init() {}

    init(_ form: Form) {
      func trimmed(_ text: String?) -> String { (text ?? "").split(separator: " ").joined(separator: " ") }
      name = trimmed(form.fields["name"])
      location = trimmed(form.fields["location"])
      assets = trimmed(form.fields["assets"])
      creates = form.fields["create"] != nil
      isReadOnly = form.fields["read-only"] != nil
      isAutomatic = form.fields["auto"] != nil
    }

    var command: CommandText {
      var words = ["add-container"]
      if creates { words.append("--create") }
      if isReadOnly { words.append("--read-only") }
      if !isAutomatic { words.append("--no-auto") }
      if !assets.isEmpty { words.append("--assets=\(assets)") }
      return CommandText(words: words + [name.isEmpty ? "NAME" : name, location.isEmpty ? "LOCATION" : location])
    }
  }

  static func show(_ visit: Visit) async throws -> Answer { try await page(visit, Wanted()) }

  static func change(_ visit: Visit) async throws -> Answer {
    let wanted = Wanted(visit.form)
    func wrong(_ text: String) async throws -> Answer { try await page(visit, wanted, status: 422, problem: text) }
    guard !wanted.name.isEmpty else { return try await wrong("the name is missing") }
    guard !wanted.location.isEmpty else { return try await wrong("the location is missing") }
    guard wanted.location.hasPrefix("/") || wanted.location.contains(":") else {
      return try await wrong("write the whole path of the folder, from / on, such as /home/ann/team.sea")
    }
    let isCheck = visit.form.fields["do"] != "attach"
    let created: Bool
    do {
      let assets = wanted.assets.isEmpty ? nil : wanted.assets
      if isCheck {
        created = try await visit.database.preview(
          adding: wanted.name, at: wanted.location, creating: wanted.creates, isReadOnly: wanted.isReadOnly,
          isAutomatic: wanted.isAutomatic, assets: assets)
      } else {
        created = try await visit.database.addContainer(
          wanted.name, at: wanted.location, creating: wanted.creates, isReadOnly: wanted.isReadOnly,
          isAutomatic: wanted.isAutomatic, assets: assets)
      }
    } catch let error as SeaError {
      let hint =
        error.code == .unreachable && !wanted.creates
        ? ". To make a new one, mark 'Create it if it does not exist'" : ""
      return try await wrong(error.message + hint)
    }
    if isCheck {
      let text =
        created
        ? "There is no container at this location yet. It would be created."
        : "There is a container of this database at this location."
      return try await page(visit, wanted, good: text)
    }
    return visit.done(
      Link("/copies"),
      Note(
        text:
          "The container \(wanted.name) was \(created ? "created" : "attached"). Sync now to exchange changes through it.",
        command: wanted.command))
  }

  private static func page(
    _ visit: Visit, _ wanted: Wanted, status: Int = 200, problem: String? = nil, good: String? = nil
  ) async throws -> Answer {
    try await visit.page("Attach a container", status: status) {
      """
      <nav class=crumbs aria-label="Path"><a href="/copies">Copies</a></nav>
      <h1>Attach a container</h1>
      <p class=lead>A container is a folder, server or bucket through which instances exchange changes. Everyone who attaches the same \
      one sees the changes of the others after a sync. Only changes travel; each instance keeps its own copy of everything.</p>
      \(problem.map { "<p class=problem role=alert>\($0.sentence)</p>" as HTML })
      \(good.map { "<p class=done role=status>\($0) Nothing was changed yet.</p>" as HTML })
      <form class="explained" method=post action="/attach">\(visit.token)
      \(row("name", "Name", "What you call it here and in commands, such as <code>team</code> or <code>stick</code>. Letters, digits, dots, dashes and underscores. Others do not see it.",
        "<input id=name name=name value=\"\(value: wanted.name)\" required maxlength=64 autocomplete=off autocapitalize=none aria-describedby=name-about>"))
      \(row("location", "Location", locations,
        "<input id=location name=location value=\"\(value: wanted.location)\" required autocomplete=off autocapitalize=none spellcheck=false aria-describedby=location-about>"))
      \(check("create", wanted.creates, "Create it if it does not exist", "For the first instance of a team. The folder above must exist. Leave it unmarked to use an existing one; a wrong location is then reported."))
      \(check("auto", wanted.isAutomatic, "Sync with it automatically", "Unmark it for a container that is seldom there, such as an archive: then a sync uses it only if you name it."))
      \(check("read-only", wanted.isReadOnly, "Only read from it", "This instance takes changes from there and never writes. Not possible for a new container."))
      \(row("assets", "Files", "Which photos and other files a sync transfers. Empty: send all that are here, and fetch none. <code>all</code>: both ways. <code>none</code>: only records. Or conditions such as <code>max-size=2M,mime=image/*</code>.",
        "<input id=assets name=assets value=\"\(value: wanted.assets)\" autocomplete=off autocapitalize=none spellcheck=false aria-describedby=assets-about>"))
      <div class=actions><button\(visit.isReadOnly ? " disabled" : nil) name=do value=check>Check</button> \
      <button class=main name=do value=attach\(visit.isReadOnly ? " disabled" : nil)>Attach</button> <a class=button href="/copies">Cancel</a></div></form>
      \(Fragments.command(wanted.command))
      """
    }
  }

  private static let locations: HTML = """
    Where it is. One of:<br><code>/media/stick/birds.sea</code> a folder: on this computer, a stick, a network drive or a cloud folder\
    <br><code>ssh://host/srv/birds.sea</code> a folder on another computer\
    <br><code>sea+https://host/birds</code> a server that runs sea-server\
    <br><code>s3://bucket/birds.sea</code> a bucket; its keys are in the environment, never here\
    <br><code>rclone:remote:birds.sea</code> a remote of rclone
    """

  private static func row(_ id: StaticString, _ title: StaticString, _ about: HTML, _ control: HTML) -> HTML {
    "<div class=row><label for=\"\(value: "\(id)")\">\("\(title)")</label>\(control)<p class=quiet id=\"\(value: "\(id)-about")\">\(about)</p></div>"
  }

  private static func check(_ id: StaticString, _ isOn: Bool, _ title: StaticString, _ about: StaticString) -> HTML {
    """
    <div class=row><label class=choice><input type=checkbox name="\(value: "\(id)")" value=1\(isOn ? " checked" : nil) aria-describedby="\(value: "\(id)-about")"> \
    <span>\("\(title)")</span></label><p class=quiet id="\(value: "\(id)-about")">\("\(about)")</p></div>
    """
  }
}

/// Detaches a container; its files stay.
enum DetachPage {
  static func show(_ visit: Visit) async throws -> Answer { try await page(visit, try visit.needed("name")) }

  private static func page(_ visit: Visit, _ name: String, status: Int = 200, hasUnread: Bool = false) async throws
    -> Answer
  {
    guard let container = try await visit.database.containers().first(where: { $0.name == name }) else {
      throw Refusal(404, "no container has the name '\(name)'")
    }
    return try await visit.page("Detach \(name.cut(50))", status: status) {
      """
      <nav class=crumbs aria-label="Path"><a href="/copies">Copies</a></nav>
      <h1>Detach <bdi>\(name)</bdi>?</h1>
      <p>Syncs no longer use <code>\(container.location)</code>. Its files stay, and others who use it notice nothing. You can attach it again.</p>
      \(container.blocksToPush > 0 && !container.isReadOnly ? "<p class=notice>It lacks \(Amount.count(container.blocksToPush, "block")) that are here. To send them, sync first.</p>" as HTML? : nil)
      \(hasUnread ? "<p class=problem role=alert>It has changes that this instance does not have, or it cannot be checked. Sync first, or detach it nevertheless.</p>" as HTML? : nil)
      \(Fragments.confirm(
        visit, action: "/detach", fields: [("name", name)] + (hasUnread ? [("force", "1")] : []),
        button: hasUnread ? "Detach nevertheless" : "Detach", isDangerous: hasUnread, back: Link("/copies")))
      \(Fragments.command(CommandText(words: ["remove-container"] + (hasUnread ? ["--force"] : []) + [name])))
      """
    }
  }

  static func change(_ visit: Visit) async throws -> Answer {
    let name = try visit.needed("name")
    guard try await visit.database.removeContainer(name, force: visit.form.fields["force"] != nil) else {
      return try await page(visit, name, status: 409, hasUnread: true)
    }
    return visit.done(
      Link("/copies"),
      Note(
        text: "The container \(name) was detached. Its files are still there.",
        command: CommandText("remove-container", name)))
  }
}
