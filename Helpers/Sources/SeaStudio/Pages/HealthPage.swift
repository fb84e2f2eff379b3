import SeaKit

/// The results of `sea doctor`, `sea verify` and `sea stats`.
enum HealthPage {
  private static let checks = "doctor"
  private static let mostFindings = 200

  static func show(_ visit: Visit) async throws -> Answer {
    let places = try await Places(visit)
    if let start = visit.query["start"] {
      try run(start, visit, places)
      return .redirect(Link("/health"))
    }
    if let stop = visit.query["stop"] {
      visit.studio.checkups.stop(stop)
      return .redirect(Link("/health"))
    }
    let position = try await visit.database.position()
    let statistics = try await visit.database.care.statistics()
    let files = try await visit.database.inspection.sizes()
    let jobs = visit.studio.checkups
    // What ends while the page is made is still running on the page.
    let isRunning = jobs.isRunning
    var answer = try await visit.page("Health", at: position) {
      """
      <h1>Health</h1>
      <div class=two><div>
      \(doctor(jobs[checks]))
      \(verification(places, jobs))
      \(containers(places.containers))
      </div><div>
      \(numbers(statistics))
      \(Sizes.chart(files, in: nil))
      </div></div>
      \(authors(statistics))
      """
    }
    // Without a script, the browser asks again while something is running.
    if isRunning { answer.set("refresh", "1; url=/health") }
    return answer
  }

  private static func job(_ container: String?) -> String { container.map { "verify:\($0)" } ?? "verify" }

  private static func run(_ name: String, _ visit: Visit, _ places: Places) throws {
    let database = visit.database
    if name == checks {
      return visit.studio.checkups.start(name) { _ in .checks(try await database.care.doctor()) }
    }
    guard let container = ([nil] + places.containers.map(\.name)).first(where: { job($0) == name }) else {
      throw Refusal(404, "there is no such check")
    }
    visit.studio.checkups.start(name) { report in
      guard let container else { return .verified(try await database.care.verify(progress: report)) }
      return .verified(try await database.care.verify(container: container, progress: report))
    }
  }

  private static func start(_ name: String, _ title: String, again: Bool) -> HTML {
    "<a class=button href=\"\(Link("/health", [("start", name)]))\">\(again ? "\(title) again" : title)</a>"
  }

  // MARK: - Checks

  private static func doctor(_ job: Checkups.Job?) -> HTML {
    let body: HTML
    switch job?.outcome {
    case .checks(let all)?: body = results(all)
    case .failed(let text)?: body = "<p class=problem>\(text)</p>"
    default:
      body =
        job == nil
        ? """
        <p class=quiet>The checks find problems before they cause trouble: on this device, in the containers, and between \
        the two. They change nothing.</p>
        """ : running(job, checks)
    }
    return """
      <section aria-labelledby=checks><div class=head><h2 id=checks>Checks</h2>\
      \(job?.isRunning == true ? nil : start(checks, "Check", again: job != nil))</div>\(body)\(ended(job))\
      \(Fragments.command(CommandText("doctor")))</section>
      """
  }

  private static func ended(_ job: Checkups.Job?) -> HTML? {
    guard let job, let took = job.took else { return nil }
    return "<p class=quiet>\(Times.ago(job.started)), in \(Times.length(took))</p>"
  }

  private static func running(_ job: Checkups.Job?, _ name: String) -> HTML {
    let progress: HTML? = job?.progress.map { progress in
      let total = progress.total.flatMap { $0 > 0 ? $0 : nil }
      let amount =
        progress.isInBytes ? Amount.size(progress.completed) : Amount.count(Int(clamping: progress.completed))
      let bar: HTML? = total.map { "<p>\(SVG.bar(Double(progress.completed) / Double($0)))</p>" }
      return "\(bar)<p class=quiet>\(progress.kind) <bdi>\(progress.subject.cut(80))</bdi> \(amount)</p>"
    }
    return """
      <div role=status><p><strong>Running.</strong> This page shows the result as soon as it is there. \
      <a href="\(Link("/health", [("stop", name)]))">Stop</a></p>\(progress)</div>
      """
  }

  private static func results(_ all: [DoctorCheck]) -> HTML {
    let found = all.reduce(0) { $0 + $1.findings.count }
    let gaps = all.reduce(0) { $0 + $1.gaps.count }
    let concerned = all.count { !$0.findings.isEmpty }
    let unavailable = Set(all.flatMap(\.unavailable)).sorted()
    let sum: HTML =
      found == 0
      ? "<p class=good>\(mark(true)) No problem was found.</p>"
      : "<p class=problem>\(Amount.count(found, "finding")) in \(Amount.count(concerned, "check")).</p>"
    let away: HTML? =
      unavailable.isEmpty
      ? nil
      : "<p class=quiet>Unavailable, and therefore not checked: <bdi>\(unavailable.joined(separator: ", "))</bdi></p>"
    let blind: HTML? = gaps > 0 ? "<p class=warn>\(Amount.count(gaps, "part")) could not be checked.</p>" : nil
    let rows: [HTML] = all.sorted { !$0.isGood && $1.isGood }.map(check)
    return "\(sum)\(blind)\(away)<ul class=\"plain checks\">\(rows)</ul>"
  }

  private static func mark(_ isGood: Bool) -> HTML {
    """
    <svg class="sign \(isGood ? "good" : "bad")" width=16 height=16 aria-hidden=true>\
    \(isGood ? "<path d=\"M3 8.5l3.5 3.5L13 4.5\"></path>" as HTML : "<path d=\"M8 3v6.5M8 12v1.2\"></path>")</svg>
    """
  }

  private static func check(_ check: DoctorCheck) -> HTML {
    let findings: [HTML] = check.findings.prefix(mostFindings).map { one in
      """
      <li><bdi class=name>\(one.subject)</bdi>: \(one.found) <code class=quiet>\(one.code)</code>\
      \(one.advice.map { advice($0) })</li>
      """
    }
    let gaps: [HTML] = check.gaps.prefix(mostFindings).map { gap in
      let subject: HTML? = gap.subject.isEmpty ? nil : "<bdi class=name>\(gap.subject)</bdi>: "
      return "<li class=warn>\(subject)could not be checked: \(gap.reason)</li>"
    }
    let details: HTML? = findings.isEmpty && gaps.isEmpty ? nil : "<ul>\(findings)\(gaps)</ul>"
    let seen: HTML = check.checked.isEmpty ? "nothing to check" : "\(check.checked)"
    return """
      <li>\(mark(check.isGood))<div><p><strong>\(check.name)</strong> <span class=quiet>\(check.about)</span></p>\
      \(details)<p class=quiet>\(check.isGood ? "good: " : "")\(seen)</p></div></li>
      """
  }

  /// Advice is a command to copy, or a sentence.
  private static func advice(_ text: String) -> HTML {
    let isCommand = ["sea ", "chmod "].contains { text.hasPrefix($0) }
    return isCommand
      ? "<p class=command><span>To repair</span> <code>\(text)</code></p>" : "<p class=quiet>\(text.sentence)</p>"
  }

  // MARK: - Verification

  private static func verification(_ places: Places, _ jobs: Checkups) -> HTML {
    let rows: [HTML] = ([nil] + places.containers.map(\.name)).map { container in
      let name = job(container)
      let job = jobs[name]
      let body: HTML? =
        switch job?.outcome {
        case .verified(let report)?: verified(report)
        case .failed(let text)?: "<p class=problem>\(text)</p>"
        default: job == nil ? nil : running(job, name)
        }
      return """
        <li><div class=head><h3><bdi>\(container ?? "This database")</bdi></h3>\
        \(Fragments.command(CommandText(words: ["verify"] + (container.map { [$0] } ?? []))))\
        \(job?.isRunning == true ? nil : start(name, "Verify", again: job != nil))</div>\(body)\(ended(job))</li>
        """
    }
    return """
      <section aria-labelledby=verification><h2 id=verification>Verification</h2>\
      <p class=quiet>Reads everything, and compares it with checksums and signatures. This can take minutes.</p>\
      <ul class="plain places">\(rows)</ul></section>
      """
  }

  private static func verified(_ report: VerificationReport) -> HTML {
    let blocks = report.chains.reduce(0) { $0 + $1.blocks }
    let sum: HTML =
      report.isGood
      ? "<p class=good>\(mark(true)) Everything that was checked is valid.</p>"
      : "<p class=problem>\(Amount.count(report.findings.count, "problem")).</p>"
    let count = report.unchecked > 0 ? ": \(report.unchecked)" : ""
    let unchecked: HTML? =
      report.isComplete
      ? nil : "<p class=warn>Some parts could not be checked, because a key is missing\(count).</p>"
    let findings: [HTML] = report.findings.prefix(mostFindings).map {
      "<li>\($0.message.sentence) <code>\($0.code)</code>\($0.goodCopy.map { " Intact copy: <bdi>\($0)</bdi>." as HTML })</li>"
    }
    return """
      \(sum)\(unchecked)\(findings.isEmpty ? nil : "<ul>\(findings)</ul>" as HTML?)<p class=quiet>\
      \(Amount.count(report.chains.count, "chain")), \(Amount.count(blocks, "block")), \(Amount.count(report.assets, "asset file"))\
      \(report.assetBytes > 0 ? " with \(Amount.size(report.assetBytes))" : "")</p>
      """
  }

  // MARK: - Containers

  private static func containers(_ containers: [AttachedContainer]) -> HTML {
    if containers.isEmpty {
      return """
        <section aria-labelledby=containers><h2 id=containers>Containers</h2><p class=empty>No container is attached, so \
        nothing of this database is elsewhere.</p></section>
        """
    }
    let rows: [HTML] = containers.map { one in
      let last: HTML = Fragments.lastSync(of: one) ?? "<span class=warn>never</span>"
      return """
        <tr role=row><th scope=row role=rowheader><a href="\(Link("/blocks", [("in", one.name)]))"><bdi>\(one.name)</bdi></a></th>\
        <td role=cell data-label=state><span\(one.isGood && !one.waits ? "" : " class=warn")>\(one.shownState)</span></td>\
        <td role=cell data-label="last sync">\(last)</td>\
        <td class=number role=cell data-label="blocks to push">\(Amount.count(one.blocksToPush))</td></tr>
        """
    }
    return """
      <section aria-labelledby=containers><h2 id=containers>Containers</h2>\
      \(Fragments.table("Containers", ["container", "state", "last sync", "blocks to push"], numbers: [3], rows))\
      \(Fragments.command(CommandText("status")))</section>
      """
  }

  // MARK: - Numbers and sizes

  private static func numbers(_ all: Statistics) -> HTML {
    var rows: [HTML] = []
    func row(_ title: String, _ number: HTML, _ more: [HTML?] = []) {
      let rest = more.compactMap { $0 }
      let details: HTML? = rest.isEmpty ? nil : "<span class=quiet>, \(rest.joined(by: ", "))</span>"
      rows.append("<div><dt>\(title)</dt><dd>\(number)\(details)</dd></div>")
    }
    func some(_ count: Int, _ words: HTML) -> HTML? { count > 0 ? "\(Amount.count(count)) \(words)" : nil }
    row(
      "records", "\(Amount.count(all.records))",
      [
        all.deletedRecords > 0 ? "<a href=\"/deleted\">\(Amount.count(all.deletedRecords)) deleted</a>" : nil,
        some(all.conflicts, "in conflict"),
      ])
    row("revisions", "\(Amount.count(all.revisions))", [some(all.waitingRevisions, "waiting")])
    row(
      "blocks", "<a href=\"/blocks\">\(Amount.count(all.blocks))</a>",
      ["\(Amount.size(all.blockBytes))", some(all.purgedBlocks, "purged"), some(all.ignoredBlocks, "ignored")])
    row("assets", "\(Amount.count(all.assets))", all.assets > 0 ? ["\(Amount.size(all.assetBytes))"] : [])
    if all.assets > 0 || all.assetFiles > 0 {
      row("stored here", "\(Amount.count(all.assetFiles, "asset file"))", ["\(Amount.size(all.assetFileBytes))"])
    }
    row("database file", "\(Amount.size(all.databaseBytes))")
    return """
      <section aria-labelledby=numbers><h2 id=numbers>Numbers</h2><dl class=numbers>\(rows)</dl>\
      \(Fragments.command(CommandText("stats")))</section>
      """
  }

  private static func authors(_ all: Statistics) -> HTML? {
    if all.authors.isEmpty { return nil }
    let most = Double(max(1, all.authors.map(\.bytes).max() ?? 1))
    let rows: [HTML] = all.authors.map { one in
      """
      <tr role=row><th scope=row role=rowheader>\(Fragments.author(one.instance))</th>\
      <td class=number role=cell data-label=changes>\(Amount.count(one.changes))</td>\
      <td class=number role=cell data-label=blocks>\(Amount.count(one.blocks))</td>\
      <td class=number role=cell data-label=size>\(Amount.size(one.bytes))</td>\
      <td class=wide role=cell>\(SVG.bar(Double(one.bytes) / most))</td>\
      <td role=cell data-label="first change">\(one.firstChange.map { Times.html($0) })</td>\
      <td role=cell data-label="last change">\(one.lastChange.map { Times.ago($0) })</td></tr>
      """
    }
    return """
      <section aria-labelledby=authors><h2 id=authors>Instances</h2>\
      \(Fragments.table("Instances by number of changes", ["instance", "changes", "blocks", "size", "", "first change", "last change"], numbers: [1, 2, 3], rows))</section>
      """
  }
}
