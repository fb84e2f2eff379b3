import CCurl
import SeaContainer
import SeaSystem

/// One request over HTTP, and what came back. An object of this has connections that it uses again; one thread has it.
package final class Transport {
  package struct Answer {
    package var status = 0
    /// By name in lower case.
    package var headers: [String: String] = [:]
    package var body: [UInt8] = []

    package init(status: Int = 0, headers: [String: String] = [:], body: [UInt8] = []) {
      (self.status, self.headers, self.body) = (status, headers, body)
    }

    /// Whether it says which part of a file it has: some servers say so with 200.
    var isPart: Bool { headers["content-range"] != nil }

    /// Success with an object comes with its tag; without one it comes from somebody in between.
    var isOfStore: Bool { headers["etag"] != nil || !(200..<300).contains(status) }
  }

  /// The line to the server failed, or it sent what was not asked for.
  struct Broken: Error {
    let reason: String
    /// Whether it is of use to try again.
    let isPassing: Bool
  }

  struct Call {
    var method: String
    var url: String
    var headers: [(name: String, value: String)]
    /// Nil for a request that has none.
    var body: [UInt8]?
    /// So many bytes are taken of an answer of success, and no more are let in.
    var most: Int
    /// What a server that knows no ranges sends in front of what was asked for.
    var skip: Int64?
  }

  private static let mostOfError = 1 << 16
  private static let mostHeaders = 1 << 16
  /// Seconds.
  private static let connectLimit = 10
  /// Bytes in a second; slower than that for so long is as good as nothing.
  private static let leastRate = 100
  private static let silenceLimit = 30

  private let curl: OpaquePointer
  private let authorities: String?
  private var answer = Answer()
  private var call = Call(method: "", url: "", headers: [], body: nil, most: 0)
  private var skip: Int64 = 0
  private var headerBytes = 0
  /// Why no more is taken in.
  private var stop: Stop?

  private enum Stop { case enough, tooMuch }

  init(authorities: String?) throws(S3Fault) {
    guard Transport.isStarted, let curl = curl_easy_init() else { throw S3Fault(.failed, "libcurl cannot be started") }
    (self.curl, self.authorities) = (OpaquePointer(curl), authorities)
  }

  deinit { curl_easy_cleanup(handle) }

  private var handle: UnsafeMutableRawPointer { UnsafeMutableRawPointer(curl) }

  /// Before any thread has begun another one.
  static let isStarted = sea_curl_start() == CURLE_OK

  func perform(_ call: Call) throws(Broken) -> Answer {
    (self.call, answer, stop, headerBytes, skip) = (call, Answer(), nil, 0, 0)
    curl_easy_reset(handle)
    prepare()
    var lines: UnsafeMutablePointer<curl_slist>?
    for header in call.headers + [("expect", ""), ("accept", "")] {
      // A name without a value takes out what libcurl would say.
      lines = curl_slist_append(lines, header.value.isEmpty ? "\(header.name):" : "\(header.name): \(header.value)")
    }
    defer { curl_slist_free_all(lines) }
    sea_curl_pointer(handle, CURLOPT_HTTPHEADER, lines)
    let code = (call.body ?? []).withUnsafeBytes { bytes in
      if call.body != nil {
        sea_curl_size(handle, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(bytes.count))
        sea_curl_pointer(handle, CURLOPT_POSTFIELDS, bytes.count > 0 ? bytes.baseAddress : Transport.nothing)
        sea_curl_text(handle, CURLOPT_CUSTOMREQUEST, call.method)
      }
      return curl_easy_perform(handle)
    }
    answer.status = sea_curl_status(handle)
    if code == CURLE_OK || stop == .enough { return answer }
    if stop == .tooMuch { throw Broken(reason: "the server sends more than it was asked for", isPassing: true) }
    throw Broken(
      reason: String(cString: curl_easy_strerror(code)),
      isPassing: ![
        CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CERTPROBLEM, CURLE_URL_MALFORMAT,
        CURLE_UNSUPPORTED_PROTOCOL,
      ].contains(code))
  }

  private func prepare() {
    sea_curl_text(handle, CURLOPT_URL, call.url)
    sea_curl_text(handle, CURLOPT_PROTOCOLS_STR, "http,https")
    sea_curl_text(handle, CURLOPT_USERAGENT, "sea")
    if let authorities { sea_curl_text(handle, CURLOPT_CAINFO, authorities) }
    let numbers: [(CURLoption, Int)] = [
      (CURLOPT_NOSIGNAL, 1), (CURLOPT_PATH_AS_IS, 1), (CURLOPT_FOLLOWLOCATION, 0),
      (CURLOPT_DISALLOW_USERNAME_IN_URL, 1),
      (CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1), (CURLOPT_CONNECTTIMEOUT, Transport.connectLimit),
      (CURLOPT_LOW_SPEED_LIMIT, Transport.leastRate), (CURLOPT_LOW_SPEED_TIME, Transport.silenceLimit),
      (CURLOPT_TCP_KEEPALIVE, 1),
      (CURLOPT_SSL_VERIFYPEER, 1), (CURLOPT_SSL_VERIFYHOST, 2), (CURLOPT_BUFFERSIZE, 1 << 18),
    ]
    for (option, value) in numbers { sea_curl_number(handle, option, value) }
    sea_curl_text(handle, CURLOPT_CUSTOMREQUEST, call.method)
    let context = Unmanaged.passUnretained(self).toOpaque()
    sea_curl_pointer(handle, CURLOPT_WRITEDATA, context)
    sea_curl_pointer(handle, CURLOPT_HEADERDATA, context)
    sea_curl_call(handle, CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
      Transport.of(context).take(UnsafeRawBufferPointer(start: bytes, count: size * count))
    }
    sea_curl_call(handle, CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
      Transport.of(context).hear(UnsafeRawBufferPointer(start: bytes, count: size * count))
    }
  }

  nonisolated(unsafe) private static let nothing: UnsafeRawPointer = UnsafeRawPointer(
    UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1))

  private static func of(_ context: UnsafeMutableRawPointer?) -> Transport {
    Unmanaged<Transport>.fromOpaque(context!).takeUnretainedValue()
  }

  /// - Returns: as many bytes as there are, or fewer for an end.
  private func take(_ bytes: UnsafeRawBufferPointer) -> Int {
    if answer.status == 0 {
      answer.status = sea_curl_status(handle)
      if !answer.isPart { skip = call.skip ?? 0 }
    }
    let isSuccess = (200..<300).contains(answer.status)
    let passed = Int(min(skip, Int64(bytes.count)))
    skip -= Int64(passed)
    let room = (isSuccess ? call.most : Transport.mostOfError) - answer.body.count
    let count = min(room, bytes.count - passed)
    answer.body.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[passed..<passed + count]))
    if passed + count == bytes.count { return bytes.count }
    // Of an error the beginning is enough, and so it is where the whole file comes instead of a part.
    stop = !isSuccess || (!answer.isPart && call.skip != nil) ? .enough : .tooMuch
    return 0
  }

  private func hear(_ bytes: UnsafeRawBufferPointer) -> Int {
    headerBytes += bytes.count
    guard headerBytes <= Transport.mostHeaders else {
      stop = .tooMuch
      return 0
    }
    let line = String(decoding: bytes, as: UTF8.self)
    if line.hasPrefix("HTTP/") {
      // Of several answers the last one counts.
      answer.headers = [:]
    } else if let colon = line.firstIndex(of: ":") {
      let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }.prefix { !$0.isNewline }
      answer.headers[line[..<colon].lowercased()] = String(value)
    }
    return bytes.count
  }
}
