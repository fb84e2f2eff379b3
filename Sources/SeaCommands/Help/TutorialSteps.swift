/// What the tour shows, in its order. Each chapter goes on from those before.
enum TutorialSteps {
  struct Chapter {
    let title: String
    let steps: [Step]
  }

  /// A few sentences, and the commands that they announce, as they are typed.
  struct Step {
    let text: String
    let commands: [String]

    init(_ text: String, _ commands: String...) { (self.text, self.commands) = (text, commands) }
  }

  static var chapters: [Chapter] { [records, history, container, conflict, merge, trust] }

  private static let records = Chapter(
    title: "Records",
    steps: [
      Step(
        "Make a database. All of it lies in one folder, field/.sea. This copy of it is called field:",
        "sea init --name=field --content-type=org.example.birds field"),
      Step(
        "Write a record: an id, a type, properties.\nA line of output is what happened, the id and the revision:",
        #"sea -C field put '{"_id":"bird/1","_type":"bird","species":"Upupa epops","count":2}'"#),
      Step(
        "Change a property. A value is text, unless := gives JSON or a type is named. What is not named stays as it is:",
        "sea -C field set bird/1 count:=3 seen:date=2026-03-01"),
      Step(
        "Ask, with a condition or in SQL:", "sea -C field query -t bird 'count > 2'",
        "sea -C field sql 'SELECT species, sum(count) AS birds FROM bird GROUP BY species'"),
    ])

  private static let history = Chapter(
    title: "History",
    steps: [
      Step(
        "Every change is a revision, and the old ones stay. bird/1@~1 is the one before:", "sea -C field log bird/1",
        "sea -C field diff bird/1@~1 bird/1"),
      Step(
        "A mistake is taken back by one command:", "sea -C field delete bird/1", "sea -C field undo",
        "sea -C field get bird/1"),
    ])

  private static let container = Chapter(
    title: "A container",
    steps: [
      Step(
        "Computers meet through a container. It is a folder: a stick, a share, a cloud drive. Make one, and hand over what is here:",
        "sea -C field add-container --create stick ../stick", "sea -C field sync"),
      Step("On another computer, make a second instance from it:", "sea clone --name=lab stick lab"),
    ])

  private static let conflict = Chapter(
    title: "A conflict",
    steps: [
      Step(
        "Two people change the same property, and do not know of each other:",
        "sea -C field set bird/1 notes='feeding young'", "sea -C lab set bird/1 notes='two adults'"),
      Step("Nobody's work is lost. The second to sync hears of the conflict:", "sea -C field sync", "sea -C lab sync"),
      Step(
        "One version wins meanwhile, the same on every computer. Look at both sides:", "sea -C lab conflicts bird/1",
        "sea -C lab log --graph bird/1"),
      Step(
        "Whoever knows decides, whenever there is time:",
        "sea -C lab resolve --winner --set=notes='two adults, feeding young' bird/1", "sea -C lab sync",
        "sea -C field sync",
        "sea -C field get bird/1 notes"),
    ])

  private static let merge = Chapter(
    title: "No conflict",
    steps: [
      Step(
        "Two people change different properties. Nobody has to decide:", "sea -C field set bird/1 count:=4",
        "sea -C lab set bird/1 seen:date=2026-03-02", "sea -C field sync", "sea -C lab sync",
        "sea -C lab get bird/1 count seen")
    ])

  private static let trust = Chapter(
    title: "Trust",
    steps: [
      Step(
        "Every block of changes is signed, and holds the hash of the one before. Read every byte, here and on the stick:",
        "sea -C field verify", "sea verify stick"),
      Step("See what there is to be done. Whatever worries you, ask sea doctor:", "sea -C field status"),
    ])
}
