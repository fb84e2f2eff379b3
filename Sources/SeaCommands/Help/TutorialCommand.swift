import SeaEngine
import SeaWords

/// `sea tutorial`: plays a tour in a folder that is thrown away.
enum TutorialCommand: Command {
  static var title: Title { Title("tutorial", .help, .porcelain, "play a tour in a folder that is thrown away") }
  static var synopsis: [String] { ["[--list] [CHAPTER]"] }
  static let list = Option("list", help: "list the chapters")
  static var options: [Option] { [list] }
  static var operands: [Operand] {
    [.optional("CHAPTER", .choice(TutorialSteps.chapters.indices.map { String($0 + 1) }))]
  }
  static var exits: [Exit] {
    [
      Exit(.success, "the tour came to its end, or was ended with q"),
      Exit(.refused, "a command of the tour failed, or could not be started"),
    ]
  }

  static func run(_ session: Session, _ arguments: Arguments) throws -> ExitStatus {
    let chapters = TutorialSteps.chapters
    if arguments.has(list) {
      if let word = arguments.operand(0) { throw UsageFault.extraOperand(word) }
      for (number, chapter) in chapters.enumerated() {
        try session.terminal.show(["chapter": .integer(number + 1), "title": .text(chapter.title)]) {
          ["\(number + 1)  \(chapter.title)"]
        }
      }
      return .success
    }
    return try TutorialRun(session, from: arguments.operand(0).flatMap { Int($0) } ?? 1).play(chapters)
  }
}
