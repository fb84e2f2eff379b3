import SeaKit

/// A sync that was started from a page, or its dry run: progress, then results.
enum SyncPage {
  static func link(_ key: String) -> Link { Link("/sync", [("job", key)]) }

  static func change(_ visit: Visit) async throws -> Answer {
    switch visit.form.fields["do"] {
    case "stop":
      visit.studio.jobs.stop()
      return .redirect(link(try visit.needed("job")))
    case "sync", "preview":
      let isPreview = visit.form.fields["do"] == "preview"
      let name = visit.form.fields["name"]
      if let name, try await !visit.database.containers().contains(where: { $0.name == name }) {
        throw Refusal(404, "no container has the name '\(name)'")
      }
      return .redirect(link(visit.studio.jobs.start(visit.database, name, isPreview: isPreview)))
    default: throw Refusal(400, "the form does not say what to do")
    }
  }

  static func show(_ visit: Visit) async throws -> Answer {
    guard let job = visit.studio.jobs.find(try visit.needed("job")) else {
      throw Refusal(404, "this sync is no longer known")
    }
    let what =
      job.name.map { "\(job.isPreview ? "Dry run of a sync" : "Sync") with \($0)" }
      ?? "\(job.isPreview ? "Dry run of a sync" : "Sync") with all containers"
    var words = ["sync"]
    if job.isPreview { words.append("-n") }
    if let name = job.name { words.append(name) }
    return try await visit.page(job.isPreview ? "Dry run" : "Sync") {
      """
      <nav class=crumbs aria-label="Path"><a href="/copies">Copies</a></nav>
      <h1>\(what)</h1>
      <div data-job\(job.isRunning ? " data-running" : nil) role=status aria-live=polite>\(job.isRunning ? progress(visit, job) : try await result(visit, job))</div>
      \(Fragments.command(CommandText(words: words)))
      """
    }
  }

  private static func progress(_ visit: Visit, _ job: Jobs.Job) -> HTML {
    let bar: HTML
    let words: String
    if let progress = job.progress {
      func amount(_ number: Int64) -> String {
        progress.isInBytes ? Amount.size(number) : Amount.count(Int(clamping: number))
      }
      words =
        "\(progress.kind) \(progress.subject.cut(60)) \(amount(progress.completed))\(progress.total.map { " of \(amount($0))" } ?? "")"
      bar =
        progress.total.map { total -> HTML in
          "<progress aria-label=\"Progress\" max=\"\(max(1, total))\" value=\"\(min(progress.completed, total))\"></progress>"
        } ?? "<progress aria-label=\"Progress\"></progress>"
    } else {
      (bar, words) = (
        "<progress aria-label=\"Progress\"></progress>", job.isPreview ? "looking into the containers" : "starting"
      )
    }
    return """
      <noscript><meta http-equiv=refresh content=2></noscript>\
      <p>\(bar)</p><p class=quiet><bdi>\(words)</bdi></p>\
      <form class=inline method=post action="/sync">\(visit.token)<input type=hidden name=job value="\(value: job.key)">\
      <button name=do value=stop>Stop</button> <a class=button href="\(link(job.key))">Show the progress</a></form>\
      <p class=quiet>You can leave this page; the sync goes on. If it is stopped, what was transferred is kept.</p>
      """
  }

  private static func result(_ visit: Visit, _ job: Jobs.Job) async throws -> HTML {
    switch job.outcome {
    case .success(let report)?: return try await result(visit, job, report)
    case .failure(let error)?:
      if error is CancellationError {
        return
          "<p>Stopped. What was transferred is kept; the next sync continues.</p><p><a class=button href=\"/copies\">Copies</a></p>"
      }
      let text = (error as? SeaError).map { "\($0.message.sentence)" } ?? "\(error)"
      return "<p class=problem>\(text)</p><p><a class=button href=\"/copies\">Copies</a></p>"
    case nil: return HTML()
    }
  }

  private static func result(_ visit: Visit, _ job: Jobs.Job, _ report: SyncReport) async throws -> HTML {
    if report.outcomes.isEmpty {
      return
        "<p class=empty>No container was synced, because none is used automatically. <a href=\"/copies\">Choose one</a></p>"
    }
    let rows: [HTML] = report.outcomes.map { one in
      let assets = one.assetsPulled + one.assetsPushed
      let notes: [HTML] =
        (one.error.map {
          ["<li class=warn><bdi>\($0.message.sentence)</bdi> <code>\($0.code.description)</code></li>" as HTML]
        } ?? [])
        + (one.isIncomplete
          ? ["<li class=warn>Some content is still being copied there; a later sync gets it.</li>"] : [])
        + (one.healed > 0
          ? ["<li>\(Amount.count(one.healed, "lost block")) \(job.isPreview ? "would be restored" : "restored")</li>"]
          : [])
        + one.problems.prefix(10).map { "<li><bdi>\($0.sentence)</bdi></li>" as HTML }
      return """
        <tr><th scope=row><bdi>\(one.name)</bdi></th><td class=number>\(Amount.count(one.pulled))</td><td class=number>\(Amount.count(one.pushed))</td>\
        <td class=number>\(Amount.count(assets))</td><td>\(notes.isEmpty ? (one.error == nil ? "<span class=quiet>no problem</span>" : HTML()) : "<ul class=plain>\(notes)</ul>")</td></tr>
        """
    }
    var lines: [HTML] = []
    if !report.merged.isEmpty { lines.append("<p>\(Amount.count(report.merged.count, "record")) merged.</p>") }
    if !report.conflicts.isEmpty {
      let ids: [HTML] = report.conflicts.prefix(20).map {
        "<li><a href=\"\(ConflictWords.link($0))\"><bdi>\($0)</bdi></a></li>"
      }
      lines.append(
        "<div class=notice><p><strong>\(Amount.count(report.conflicts.count, "new conflict")).</strong> <a href=\"/conflicts\">Show all conflicts</a></p><ul class=plain>\(ids)</ul></div>"
      )
    }
    let asking = try await visit.database.members.requests().filter { !$0.isOwn }
    if !asking.isEmpty {
      lines.append(
        "<p class=notice>\(Amount.count(asking.count, "instance asks", "instances ask")) to join. <a href=\"/members\">Compare the fingerprint</a></p>"
      )
    }
    let seconds = job.duration.map { Double($0.components.seconds) + Double($0.components.attoseconds) / 1e18 } ?? 0
    let duration = seconds < 10 ? "\((seconds * 10).rounded() / 10) s" : "\(Int(seconds.rounded())) s"
    let isGood = report.isComplete
    let again: HTML =
      job.isPreview
      ? """
      <form class=inline method=post action="/sync">\(visit.token)\(job.name.map { "<input type=hidden name=name value=\"\(value: $0)\">" as HTML })\
      <button class=main name=do value=sync\(visit.isReadOnly ? " disabled" : nil)>Sync</button> <a class=button href="/copies">Copies</a></form>
      """ : "<p><a class=\"button main\" href=\"/copies\">Copies</a></p>"
    return """
      <p>\(job.isPreview ? "<strong>Nothing was changed.</strong> A sync would transfer:" : isGood ? "<strong>Done</strong> in \(duration)." : "<strong class=warn>Ended with problems</strong> after \(duration)." as HTML)</p>\
      <div class=scroll role=region aria-label="Results" tabindex=0><table class=blocks><caption>Blocks and assets</caption><thead><tr><th scope=col>container</th><th scope=col>pulled</th><th scope=col>pushed</th><th scope=col>assets</th><th scope=col>notes</th></tr></thead><tbody>\(rows)</tbody></table></div>\
      \(lines)\(again)
      """
  }
}
