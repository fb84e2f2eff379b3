import SeaKit

/// The members of the database, and requests to join with the words to compare.
enum MembersPage {
  static func show(_ visit: Visit) async throws -> Answer {
    let position = try await visit.database.position()
    let list = try await MemberList(visit.database)
    let isWaiting = try await visit.database.members.isWaiting()
    return try await visit.page("Members", at: position) {
      """
      <h1>Members</h1>
      \(about(list))
      \(requests(visit, list))
      \(visit.isReadOnly ? nil : own(list, isWaiting))
      \(table(visit, list))
      \(Fragments.command(CommandText("instances", "--fingerprint")))
      """
    }
  }

  private static func about(_ list: MemberList) -> HTML {
    switch (list.hasMembers, list.isEncrypted) {
    case (true, true):
      "<p class=lead>Only the changes of authorized instances are applied, and only they can read: all content is encrypted.</p>"
    case (true, false):
      "<p class=lead>Only the changes of authorized instances are applied. The content is not encrypted: who can read a container can read everything.</p>"
    case (false, true):
      "<p class=lead>All content is encrypted. Whoever has a passphrase or a key can read and write; there are no roles.</p>"
    case (false, false):
      """
      <p class=lead>This database has no members: everyone who can write to a container takes part. To accept only authorized instances, \
      create a database with <code>sea init --require-auth</code>.</p>
      """
    }
  }

  private static func requests(_ visit: Visit, _ list: MemberList) -> HTML? {
    if list.requests.isEmpty { return nil }
    let items: [HTML] = list.requests.map { member in
      let name = MemberWords.name(member)
      let act: HTML =
        list.canAuthorize
        ? "<p><a class=\"button main\" href=\"\(AuthorizePage.link(member))\">Compare and authorize<span class=hidden> \(name)</span></a></p>"
        : "<p class=quiet>Only an admin can authorize it.</p>"
      return """
        <li class=copy><h3><bdi>\(name)</bdi> <span class=id>\(String(member.id.prefix(8)))</span></h3>\
        <p class=quiet>\(member.lastSeen.map { "asked \(Times.ago($0))" as HTML } ?? "asks to join")\(member.heldBlocks > 0 ? ", \(Amount.count(member.heldBlocks, "change")) not applied" as HTML? : nil)</p>\
        \(MemberWords.fingerprint(member))\(act)</li>
        """
    }
    return """
      <section aria-labelledby=requests><h2 id=requests>Requests to join</h2>\
      <p class=notice>Anyone who can write to a container can ask to join under any name. To refuse a request, ignore it.</p>\
      <ul class="plain cards">\(items)</ul></section>
      """
  }

  private static func own(_ list: MemberList, _ isWaiting: Bool) -> HTML? {
    guard let own = list.own, own.fingerprint != nil else { return nil }
    let note: HTML =
      own.state == .revoked
      ? "<p class=\"notice danger\">This instance was revoked: others ignore its changes. To take part again, ask an admin to run <code>\(CommandText("authorize", String(own.id.prefix(8))).text)</code>.</p>"
      : isWaiting
        ? "<p class=notice>This instance is not authorized yet. Ask an admin to run <code>\(CommandText("authorize", String(own.id.prefix(8))).text)</code>, and read these words to them, by telephone or in person.</p>"
        : "<p class=quiet>Read these words to somebody who authorizes this instance.</p>"
    return """
      <section aria-labelledby=own><h2 id=own>Fingerprint of this instance</h2>\(note)\(MemberWords.fingerprint(own))</section>
      """
  }

  private static func table(_ visit: Visit, _ list: MemberList) -> HTML {
    let rows: [HTML] = list.all.filter { $0.state != .pending || $0.isOwn }.map { member in
      let name = MemberWords.name(member)
      var actions: [HTML] = []
      if list.canAuthorize, !member.isOwn, member.fingerprint != nil {
        let title = member.state == .revoked ? "Authorize again" : list.hasMembers ? "Change role" : nil
        if let title {
          actions.append("<a href=\"\(AuthorizePage.link(member))\">\(title)<span class=hidden> of \(name)</span></a>")
        }
      }
      if member.role != nil, list.own?.role == .admin || member.isOwn {
        actions.append("<a href=\"\(RevokePage.link(member))\">Revoke<span class=hidden> \(name)</span></a>")
      }
      return """
        <tr role=row><th scope=row role=rowheader><bdi>\(name)</bdi> <span class=id>\(String(member.id.prefix(8)))</span></th>\
        <td role=cell data-label="state">\(MemberWords.state(member))</td><td role=cell data-label="role">\(member.role?.rawValue ?? "–")</td>\
        <td role=cell data-label="last seen">\(member.lastSeen.map { Times.ago($0) } ?? "<span class=quiet>never</span>")</td>\
        <td role=cell data-label="actions">\(actions.joined(by: " · "))</td></tr>
        """
    }
    return """
      <section aria-labelledby=all><h2 id=all>Instances</h2>\
      <div class=scroll role=region aria-label="Table of instances" tabindex=0><table class="records members" role=table><thead role=rowgroup><tr role=row>\
      <th scope=col role=columnheader>instance</th><th scope=col role=columnheader>state</th><th scope=col role=columnheader>role</th>\
      <th scope=col role=columnheader>last seen</th><th scope=col role=columnheader>actions</th></tr></thead>\
      <tbody role=rowgroup>\(rows)</tbody></table></div></section>
      """
  }
}

/// Authorizes an instance, or gives a member another role, after its fingerprint was compared.
enum AuthorizePage {
  static func link(_ member: Member) -> Link { Link("/authorize", [("id", member.id)]) }

  static func show(_ visit: Visit) async throws -> Answer {
    let list = try await MemberList(visit.database)
    return try await page(visit, list, try list.find(visit.needed("id")))
  }

  private static func page(
    _ visit: Visit, _ list: MemberList, _ member: Member, role: Member.Role? = nil, problem: String? = nil
  ) async throws -> Answer {
    let name = MemberWords.name(member)
    let isChange = member.role != nil
    let chosen = role ?? member.role ?? .write
    let roles: [HTML] = Member.Role.allCases.map { one in
      "<label class=choice><input type=radio name=role value=\(value: one.rawValue)\(one == chosen ? " checked" : nil)> <span>\(MemberWords.role(one))</span></label>"
    }
    let heading: HTML = isChange ? "Change the role of <bdi>\(name)</bdi>" : "Authorize <bdi>\(name)</bdi>?"
    let form: HTML =
      list.canAuthorize && member.fingerprint != nil
      ? """
      <form class=explained method=post action="/authorize">\(visit.token)<input type=hidden name=id value="\(value: member.id)">\
      <input type=hidden name=fingerprint value="\(value: member.fingerprint ?? "")">
      \(list.hasMembers ? "<fieldset class=row><legend>What it may do</legend>\(roles)</fieldset>" as HTML? : nil)
      <div class=row><label class=choice><input type=checkbox name=compared value=1 required> <span>I have compared all words with the owner of this device, \
      by telephone or in person, and they are the same.</span></label></div>
      <div class=actions><button class=main\(visit.isReadOnly ? " disabled" : nil)>\(isChange ? "Change the role" : "Authorize")</button> <a class=button href="/members">Cancel</a></div></form>
      """
      : "<p class=notice>Only an admin can authorize an instance.</p><p><a class=button href=\"/members\">Members</a></p>"
    return try await visit.page(isChange ? "Role" : "Authorize", status: problem == nil ? 200 : 422) {
      """
      <nav class=crumbs aria-label="Path"><a href="/members">Members</a></nav>
      <h1>\(heading)</h1><p class=meta><span class=id>\(member.id)</span></p>
      \(problem.map { "<p class=problem role=alert>\($0.sentence)</p>" as HTML })
      <ol class=steps><li>Call the owner of the device, or meet in person. Do not use a message: whoever forges the request could forge it, too.</li>\
      <li>The owner runs <code>sea instances --fingerprint</code> there, or opens the page Members in <code>sea studio</code>, and reads the words aloud.</li>\
      <li>Compare <strong>every</strong> word with these:</li></ol>
      \(MemberWords.fingerprint(member))
      <p class="notice danger">If any word differs, do not authorize it: the request may be forged.</p>
      <ul class=effects>\(list.hasMembers && !isChange ? "<li>All its changes are applied, including earlier ones\(member.heldBlocks > 0 ? ": \(Amount.count(member.heldBlocks, "block")) now" as HTML? : nil).</li>" as HTML? : nil)\
      \(list.isEncrypted ? "<li>It can read everything, including old data.</li>" as HTML? : nil)\
      \(isChange ? "<li>With a lower role, what it did before stays valid. Instances that continue it get no more than this role.</li>" as HTML? : nil)</ul>
      \(form)
      \(Fragments.command(command(member, chosen, list)))
      """
    }
  }

  private static func command(_ member: Member, _ role: Member.Role, _ list: MemberList) -> CommandText {
    var words = ["authorize"]
    if list.hasMembers, role == .read { words.append("--read-only") }
    if list.hasMembers, role == .admin { words.append("--admin") }
    return CommandText(words: words + [String(member.id.prefix(8)), "--fingerprint=\(member.fingerprint ?? "WORDS")"])
  }

  static func change(_ visit: Visit) async throws -> Answer {
    let list = try await MemberList(visit.database)
    let member = try list.find(visit.needed("id"))
    let role = visit.form.fields["role"].flatMap(Member.Role.init(rawValue:)) ?? .write
    guard visit.form.fields["compared"] != nil else {
      return try await page(
        visit, list, member, role: role, problem: "compare the words, and confirm that they are the same")
    }
    // The compared keys must be the authorized ones.
    guard let fingerprint = member.fingerprint, visit.form.fields["fingerprint"] == fingerprint else {
      return try await page(
        visit, list, member, role: role,
        problem: "the fingerprint has changed since the page was made; compare it again")
    }
    let done = try await visit.database.members.authorize(member, as: role)
    let name = MemberWords.name(member)
    let what = list.hasMembers ? ": \(role.rawValue)" : ""
    return visit.done(
      Link("/members"),
      Note(
        text:
          "Authorized \(name)\(what). Applied \(Amount.count(done.blocks, "pending block")), \(Amount.count(done.records, "record")) changed. Sync now, so that others know.",
        command: command(member, role, list), link: ("Copies", Link("/copies"))))
  }
}

/// Revokes a member, after a page that says what becomes invalid.
enum RevokePage {
  static func link(_ member: Member) -> Link { Link("/revoke", [("id", member.id)]) }

  private struct Wanted {
    var after = ""
    var keepsReading = false
    var onlyThis = false
    var confirmation = ""

    init() {}

    init(_ form: Form) {
      after = form.fields["after"] ?? ""
      keepsReading = form.fields["keeps-reading"] != nil
      onlyThis = form.fields["only"] != nil
      confirmation = form.fields["confirm"] ?? ""
    }

    func command(_ member: Member) -> CommandText {
      var words = ["revoke"]
      if keepsReading { words.append("--no-rotate") }
      if !after.isEmpty { words.append("--after=\(after)") }
      if onlyThis { words.append("--only") }
      if !confirmation.isEmpty { words.append("--confirm=\(confirmation)") }
      return CommandText(words: words + [String(member.id.prefix(8))])
    }
  }

  static func show(_ visit: Visit) async throws -> Answer {
    let list = try await MemberList(visit.database)
    return try await page(visit, list, try list.find(visit.needed("id")), Wanted())
  }

  private static func page(
    _ visit: Visit, _ list: MemberList, _ member: Member, _ wanted: Wanted, problem: String? = nil, asks: Bool = false
  ) async throws -> Answer {
    let name = MemberWords.name(member)
    let preview = try await visit.database.members.preview(
      revoking: member.id, after: UInt32(wanted.after), onlyThis: wanted.onlyThis)
    let hasPassword = try await visit.database.members.hasPassword()
    let needsName = asks || preview.damagedBlocks > 0 || member.isOwn
    let rotates = list.isEncrypted && !member.isOwn
    var effects: [HTML] = [
      preview.lastBlock.map {
        "Its changes up to block \($0) stay valid. Later ones are ignored, even if they claim an earlier time or arrive earlier."
          as HTML
      }
        ?? "All its changes are ignored."
    ]
    if preview.ignoredBlocks > 0 {
      effects.append(
        "<strong>\(Amount.count(preview.ignoredBlocks, "block"))</strong> of it that \(preview.ignoredBlocks == 1 ? "was" : "were") applied \(preview.ignoredBlocks == 1 ? "is" : "are") undone."
      )
    }
    if preview.ignoredBlocksOfOthers > 0 {
      effects.append(
        "<strong>\(Amount.count(preview.ignoredBlocksOfOthers, "block"))</strong> of instances that only it has authorized \(preview.ignoredBlocksOfOthers == 1 ? "is" : "are") ignored."
      )
    }
    if preview.damagedBlocks > 0 {
      effects.append(
        "<strong>\(Amount.count(preview.damagedBlocks, "block"))</strong> that it has purged will be reported as damaged; to restore them, import a backup."
      )
    }
    if rotates {
      effects.append("New changes are encrypted with a new key, which only the remaining members receive.")
      if hasPassword {
        effects.append(
          "All passphrases stop working, because it may know them. To set a new one, run <code>sea passwd --add</code>."
        )
      }
    }
    effects.append("It can still read its own copy. Nothing can take that back.")
    let list: [HTML] = effects.map { "<li>\($0)</li>" }
    return try await visit.page("Revoke", status: problem == nil ? 200 : 422) {
      """
      <nav class=crumbs aria-label="Path"><a href="/members">Members</a></nav>
      <h1>Revoke <bdi>\(name)</bdi>?</h1><p class=meta><span class=id>\(member.id)</span> \(member.role.map { "\($0.rawValue)" as HTML })</p>
      \(problem.map { "<p class=problem role=alert>\($0.sentence)</p>" as HTML })
      \(member.isOwn ? "<p class=\"notice danger\">This is the instance on this device. Afterwards, its changes are ignored by everyone.</p>" as HTML? : nil)
      <p class=notice>Sync first: changes of <bdi>\(name)</bdi> that have not arrived here are not applied. Sync again immediately afterwards: until others \
      have synced, they accept its changes.</p>
      <ul class=effects>\(list)</ul>
      <form class=explained method=post action="/revoke">\(visit.token)<input type=hidden name=id value="\(value: member.id)">
      <div class=row><label for=after>Last valid block</label><input class=short id=after name=after value="\(value: wanted.after)" inputmode=numeric autocomplete=off aria-describedby=after-about>\
      <p class=quiet id=after-about>The number of the block up to which its changes stay valid. Empty: all that are known here.</p></div>
      \(rotates ? check("keeps-reading", wanted.keepsReading, "It may read new changes", "No new key is created, and passphrases stay valid.") : nil)
      \(check("only", wanted.onlyThis, "Only this instance", "Its successors stay authorized: for a stolen device whose backup was restored on another one."))
      \(needsName ? confirm(visit, wanted) : nil)
      <div class=actions><button class=danger name=do value=revoke\(visit.isReadOnly ? " disabled" : nil)>Revoke</button> \
      <button name=do value=look>Show the effects again</button> <a class=button href="/members">Cancel</a></div></form>
      \(Fragments.command(wanted.command(member)))
      """
    }
  }

  private static func check(_ id: String, _ isOn: Bool, _ title: String, _ about: String) -> HTML {
    """
    <div class=row><label class=choice><input type=checkbox name="\(value: id)" value=1\(isOn ? " checked" : nil) aria-describedby="\(value: id)-about"> \
    <span>\(title)</span></label><p class=quiet id="\(value: id)-about">\(about)</p></div>
    """
  }

  private static func confirm(_ visit: Visit, _ wanted: Wanted) -> HTML {
    """
    <div class=row><label for=confirm>Name of this instance</label><input id=confirm name=confirm value="\(value: wanted.confirmation)" autocomplete=off \
    aria-describedby=confirm-about><p class=quiet id=confirm-about>Write it to confirm what is lost.</p></div>
    """
  }

  static func change(_ visit: Visit) async throws -> Answer {
    let list = try await MemberList(visit.database)
    let member = try list.find(visit.needed("id"))
    let wanted = Wanted(visit.form)
    guard wanted.after.isEmpty || UInt32(wanted.after) != nil else {
      var rest = wanted
      rest.after = ""
      return try await page(visit, list, member, rest, problem: "'\(wanted.after)' is not the number of a block")
    }
    guard visit.form.fields["do"] == "revoke" else { return try await page(visit, list, member, wanted) }
    if member.isOwn, wanted.confirmation.isEmpty {
      return try await page(visit, list, member, wanted, problem: "write the name of this instance", asks: true)
    }
    let isConfirmed = !wanted.confirmation.isEmpty && wanted.confirmation == list.own.map(MemberWords.name)
    if !wanted.confirmation.isEmpty, !isConfirmed {
      return try await page(visit, list, member, wanted, problem: "this is not the name of this instance", asks: true)
    }
    let done: MemberChange
    do {
      done = try await visit.database.members.revoke(
        member.id, after: UInt32(wanted.after), keepsReading: wanted.keepsReading, onlyThis: wanted.onlyThis,
        acceptsLoss: isConfirmed)
    } catch let error as SeaError where error.code.description == "not-confirmed" {
      return try await page(visit, list, member, wanted, problem: error.message, asks: true)
    }
    let name = MemberWords.name(member)
    var text = "Revoked \(name). It can still read its own copy."
    if done.passwords > 0 { text += " The passphrases are no longer valid; to set a new one, run: sea passwd --add." }
    return visit.done(
      Link("/members"),
      Note(
        text: text + " Sync now, so that others know.", command: wanted.command(member),
        link: ("Copies", Link("/copies"))))
  }
}
