import SeaCore
import SeaEngine

/// The form of CSV. The default is RFC 4180; spreadsheets expect other forms in some languages.
struct CSVStyle {
  private(set) var delimiter: UInt8 = 0x2C
  private(set) var decimal: UInt8 = 0x2E
  private(set) var hasMark = false

  static let delimiters = [",", ";", "|"]

  /// The form that Excel expects in each language. It recognizes UTF-8 only by the byte order mark.
  private static let excel: [(delimiter: UInt8, decimal: UInt8, languages: String)] = [
    (0x2C, 0x2E, "en es-MX he ja ko th zh"),
    (0x3B, 0x2E, "de-CH"),
    (0x3B, 0x2C, "cs da de el es fi fr hu it nb nl pl pt ro ru sv tr uk"),
  ]

  static let sign = Option("delimiter", nil, .choice(delimiters), "SIGN", "separate the columns of CSV by SIGN")
  static let point = Option("decimal", nil, .choice([".", ","]), "SIGN", "write decimal points in CSV as SIGN")
  static let bom = Option("bom", help: "begin CSV with a byte order mark")
  static let language = Option(
    "excel", nil, .choice(excel.flatMap { $0.languages.split(separator: " ").map(String.init) }.sorted()), "LANG",
    "write CSV as Excel expects it in the language LANG, such as de")
  static let options = [sign, point, bom, language]
  static let synopsis = "[--delimiter=SIGN] [--decimal=SIGN] [--bom] [--excel=LANG]"

  /// - Parameter form: the option that selects CSV; `isCSV` is whether it was given.
  init(_ arguments: Arguments, needs form: String, _ isCSV: Bool) throws(UsageFault) {
    if !isCSV, let option = CSVStyle.options.first(where: arguments.has) {
      throw .needs(option: option.dashed, with: form)
    }
    if let name = arguments.text(CSVStyle.language) {
      let found = CSVStyle.excel.first { $0.languages.split(separator: " ").contains { $0 == name } }
      if let found { (delimiter, decimal, hasMark) = (found.delimiter, found.decimal, true) }
    }
    if arguments.has(CSVStyle.bom) { hasMark = true }
    delimiter = arguments.text(CSVStyle.sign)?.utf8.first ?? delimiter
    decimal = arguments.text(CSVStyle.point)?.utf8.first ?? decimal
  }

  init() {}

  /// Whether cells and rows have the usual form.
  var isStandard: Bool { delimiter == 0x2C && decimal == 0x2E }

  /// Replaces the decimal point in the text of a value if the value is a double or a decimal.
  func localize(_ text: inout [UInt8], of value: UnsafeBufferPointer<UInt8>) throws {
    guard decimal != 0x2E, let point = text.firstIndex(of: 0x2E), let lead = value.first else { return }
    switch lead >> 5 {
    case 5, 6, 7:
      switch try Value.decode(value: value).unlabeled {
      case .double, .decimal: text[point] = decimal
      default: break
      }
    default: break
    }
  }

  func localize(double text: String) -> String {
    decimal == 0x2E ? text : String(decoding: text.utf8.map { $0 == 0x2E ? decimal : $0 }, as: UTF8.self)
  }
}
