import SeaKit

/// All copies of the database, their missing blocks, and requests to join.
enum CopiesPage {
  static func show(_ visit: Visit) async throws -> Answer {
    let position = try await visit.database.position()
    let probes = visit.query["probe"] != nil
    let copies = try await visit.database.copies()
    let members = try await visit.database.members.all()
    let containers = try await visit.database.containers(probing: probes)
    let rows = CopyRow.all(copies, members, containers)
    let asking = members.filter { $0.state == .pending && !$0.isOwn }
    return try await visit.page("Copies", at: position) {
      """
      <div class=head><h1>Copies</h1><div class=actions>\(containers.isEmpty ? nil : all(visit))\
      <a class=button href="/attach">Attach a container</a></div></div>
      \(running(visit))\(waiting(members))\(requests(asking))\(problems(copies))
      <section aria-label="Drawing">\(CopiesDrawing(rows: rows, chains: copies.chains).html)\(legend(copies))</section>
      \(table(rows, copies))
      \(containers.isEmpty ? none : list(visit, containers, copies, probes))
      \(Fragments.command(CommandText("instances"), "Instances"))
      \(Fragments.command(CommandText("containers", "--probe"), "Containers"))
      """
    }
  }

  private static func running(_ visit: Visit) -> HTML? {
    visit.studio.jobs.running.map {
      "<p class=notice role=status>A sync is running. <a href=\"\(SyncPage.link($0.key))\">Show it</a></p>"
    }
  }

  private static func waiting(_ members: [Member]) -> HTML? {
    guard members.contains(where: { $0.isOwn && $0.state == .pending }) else { return nil }
    return
      "<p class=notice>This instance is not authorized yet: others ignore its changes. <a href=\"/members\">Show its fingerprint</a></p>"
  }

  private static func requests(_ asking: [Member]) -> HTML? {
    if asking.isEmpty { return nil }
    let names: [HTML] = asking.prefix(5).map { "<strong><bdi>\($0.name ?? String($0.id.prefix(8)))</bdi></strong>" }
    return """
      <p class=notice>\(names.joined(by: ", ")) \(asking.count > 5 ? "and \(asking.count - 5) more " : "")\
      \(asking.count == 1 ? "asks" : "ask") to join. <a href="/members">Compare the fingerprint</a></p>
      """
  }

  private static func problems(_ copies: Copies) -> HTML? {
    if copies.problems.isEmpty { return nil }
    let items: [HTML] = copies.problems.prefix(10).map {
      "<li><code>\($0.code)</code> <bdi>\($0.message.sentence)</bdi></li>"
    }
    let more: HTML? =
      copies.problems.count > 10
      ? "<li class=quiet>and \(Amount.count(copies.problems.count - 10, "more problem"))</li>" : nil
    return """
      <section class=notice aria-labelledby=problems><h2 id=problems>Problems</h2><ul class=plain>\(items)\(more)</ul>\
      <p class=quiet>What to do about each of them says <code>sea help recovery</code>.</p></section>
      """
  }

  /// The name of an instance, with the beginning of its id if another one has the same name.
  private static func name(_ chain: Copies.Chain, _ copies: Copies) -> String {
    let short = String(chain.id.prefix(8))
    guard let name = chain.instance.name else { return short }
    return copies.chains.count { $0.instance.name == name } > 1 ? "\(name) \(short)" : name
  }

  private static func legend(_ copies: Copies) -> HTML {
    let chains: [HTML] = copies.chains.prefix(26).enumerated().map { k, chain in
      let fork: HTML? = chain.isForked ? " <span class=warn>forked</span>" : nil
      return """
        <li class="side\(k % 6)"><span class=letter aria-hidden=true>\(CopiesDrawing.letter(k))</span> <bdi>\(name(chain, copies))</bdi>\(chain.instance.isOwn ? " <span class=quiet>(here)</span>" : nil)\
        <span class=quiet> \(Amount.count(chain.blocks, "block"))</span>\(fork)</li>
        """
    }
    return """
      <ul class="plain legend"><li class=quiet>Blocks written by</li>\(chains)</ul>
      <p class="quiet legend"><span><svg viewBox="0 0 24 10" width=24 height=10 aria-hidden=true class=side0><rect class=solid y=0 width=12 height=10 rx=2 /><rect class=hollow x=.5 y=.5 width=23 height=9 rx=2 /></svg> full: has these blocks, hollow: lacks them</span> \
      <span class=lines><svg viewBox="0 0 24 10" width=24 height=10 aria-hidden=true><path class=edge d="M0 5h24"/></svg> attached here \
      <svg viewBox="0 0 24 10" width=24 height=10 aria-hidden=true><path class="edge uneven" d="M0 5h24"/></svg> has to be synced \
      <svg viewBox="0 0 24 10" width=24 height=10 aria-hidden=true><path class="edge holds" d="M0 5h24"/></svg> holds blocks of it</span> \
      <span>Other instances are shown as of their newest change that has arrived here.</span></p>
      """
  }

  private static func table(_ rows: [CopyRow], _ copies: Copies) -> HTML {
    let shown = copies.chains.prefix(26)
    let heads: [HTML] = shown.enumerated().map { k, chain in
      "<th scope=col class=\"side\(k % 6)\"><span class=letter aria-hidden=true>\(CopiesDrawing.letter(k))</span> <bdi>\(name(chain, copies).cut(28))</bdi></th>"
    }
    let body: [HTML] = rows.map { row in
      let cells: [HTML] = shown.enumerated().map { k, chain in
        guard let has = row.has else { return "<td class=\"number quiet\">–</td>" }
        return has[k] >= chain.blocks
          ? "<td class=number>\(Amount.count(has[k])) <span class=quiet aria-hidden=true>✓</span></td>"
          : "<td class=\"number warn\">\(Amount.count(has[k])) <span class=quiet>of \(Amount.count(chain.blocks))</span></td>"
      }
      return """
        <tr><th scope=row><bdi>\(row.name)</bdi> <span class=kind>\(row.kind == .container ? "container" : row.kind == .own ? "here" : "instance")</span></th>\
        <td class=quiet>\(row.about)</td>\(cells)<td>\(row.missing > 0 ? "<span class=warn>\(row.lack)</span>" : "\(row.lack)" as HTML)</td></tr>
        """
    }
    return """
      <details class=matrix><summary>The same as a table: who has how many blocks of whom</summary>\
      <div class=scroll role=region aria-label="Blocks of each copy" tabindex=0><table class=blocks><thead><tr><th scope=col>copy</th><th scope=col>state</th>\(heads)<th scope=col>all</th></tr></thead>\
      <tbody>\(body)</tbody></table></div></details>
      """
  }

  private static let none: HTML = """
    <p class=empty>No container is attached. A container is a folder, server or bucket through which instances exchange \
    changes. <a href="/attach">Attach one</a></p>
    """

  private static func all(_ visit: Visit) -> HTML {
    let disabled: HTML? = visit.isReadOnly ? " disabled" : nil
    return """
      <form class=inline method=post action="/sync">\(visit.token)<button class=main name=do value=sync\(disabled)>Sync all</button> \
      <button name=do value=preview>Dry run</button></form>
      """
  }

  private static func list(_ visit: Visit, _ containers: [AttachedContainer], _ copies: Copies, _ probed: Bool) -> HTML
  {
    let items: [HTML] = containers.map { one in
      let tags: HTML =
        "\(one.isAutomatic ? nil : "<span class=tag>only if named</span> " as HTML?)\(one.isReadOnly ? "<span class=tag>read-only</span>" as HTML? : nil)"
      let pull: HTML? = one.blocksToPull.map {
        "<dt>to pull</dt><dd>\($0 == 0 ? "nothing" : Amount.count($0, "block"))</dd>"
      }
      let disabled: HTML? = visit.isReadOnly ? " disabled" : nil
      return """
        <li class=copy><h3><bdi>\(one.name)</bdi> <span class="\(one.isGood && !one.waits ? "tag" : "warn")">\(one.shownState)</span> \(tags)</h3>\
        <p class=quiet>\(ContainerWords.state(one.state.rawValue))</p>\
        <dl class=facts><dt>location</dt><dd><code>\(one.location)</code></dd>\
        <dt>to push</dt><dd>\(one.isReadOnly ? "never" : one.blocksToPush == 0 ? "nothing" : Amount.count(one.blocksToPush, "block"))</dd>\(pull)\
        <dt>last sync</dt><dd>\(Fragments.lastSync(of: one) ?? "never")</dd></dl>\
        <form class=inline method=post action="/sync">\(visit.token)<input type=hidden name=name value="\(value: one.name)">\
        <button name=do value=sync\(disabled)>Sync<span class=hidden> \(one.name)</span></button> \
        <button name=do value=preview>Dry run<span class=hidden> of \(one.name)</span></button> \
        <a class=button href="\(Link("/detach", [("name", one.name)]))">Detach<span class=hidden> \(one.name)</span></a></form></li>
        """
    }
    let probe: HTML =
      probed ? "<span class=quiet>checked now</span>" : "<a href=\"/copies?probe=1\">Check them now</a>"
    return """
      <section aria-labelledby=containers><h2 id=containers>Containers</h2><p class=links>\(probe)</p><ul class="plain cards">\(items)</ul></section>
      """
  }
}

/// Explanations of the states of containers.
enum ContainerWords {
  static func state(_ word: String) -> String {
    switch word {
    case "ok": "A check has just found all expected files."
    case "synced": "The last sync found no problem."
    case "new": "It was never synced."
    case "read-only": "This instance never writes to it."
    case "incomplete": "Files are missing or cut off, as in a cloud folder that is still being copied."
    case "damaged": "Something does not verify or is missing, and could not be repaired."
    case "unavailable": "It cannot be reached, or another container is at its location."
    case "mismatch": "It belongs to another database or has another content type."
    case "failed": "It could not be read or written."
    default: ""
    }
  }
}
