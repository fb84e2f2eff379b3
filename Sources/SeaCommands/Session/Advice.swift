/// Suggests a next step, but only to people at a terminal.
enum Advice {
  static func give(_ next: String, _ session: Session) {
    let (host, terminal, options) = (session.host, session.terminal, session.options)
    let isTyped = host.isTerminal(1) && host.isTerminal(2)
    guard isTyped, terminal.givesHints, !options.quiet, !options.json else { return }
    terminal.prose.say(hint: next)
  }
}
