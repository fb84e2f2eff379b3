import CCurl
import SeaSystem

/// Sends HTTP requests, one at a time, reusing connections. Each object must be used by only one thread.
package final class Transport {
  package struct Answer {
    package var status = 0
    package var headers: [String: String] = [:]
    package var body: [UInt8] = []

    package init(status: Int = 0, headers: [String: String] = [:], body: [UInt8] = []) {
      (self.status, self.headers, self.body) = (status, headers, body)
    }

    /// Whether the response contains only part of a file. Some servers send such a part with status 200.
    package var isPart: Bool { headers["content-range"] != nil }

    package var isSuccess: Bool { (200..<300).contains(status) }
  }

  /// An error due to a failed connection or an unexpected response.
  package struct Broken: Error {
    package let reason: String
    package let isTemporary: Bool
  }

  package struct Call {
    package var method: String
    package var url: String
    package var headers: [(name: String, value: String)]
    package var body: [UInt8]?
    /// The maximum size in bytes of a successful response body. If the body is larger, the request fails.
    package var most: Int
    /// The number of bytes to skip if the server ignores the requested range and sends the whole file.
    package var skip: Int64?
    /// A request body that is produced piece by piece. `fill` returns the number of bytes that it wrote, or 0 if there
    /// was an error.
    package var source: (size: Int64, fill: (UnsafeMutableRawBufferPointer) -> Int)?
    /// A closure that receives a successful response body piece by piece, and returns false to stop the transfer.
    package var sink: ((Answer, UnsafeRawBufferPointer) -> Bool)?
    /// A closure that is called about once a second, and returns false to end the request.
    package var tick: (() -> Bool)?
    /// For a request that waits for events, the end time in monotonic nanoseconds, and a descriptor. When the
    /// descriptor becomes readable, `tick` is called. `silence` limits the time without any data.
    package var patience: (ends: Int64, descriptor: Int32)?
    /// The minimum throughput in bytes per second. The request fails if it stays slower for `silence` seconds.
    package var leastRate = 100
    package var silence = 30

    package init(
      method: String, url: String, headers: [(name: String, value: String)], body: [UInt8]? = nil, most: Int = 0,
      skip: Int64? = nil
    ) {
      (self.method, self.url, self.headers) = (method, url, headers)
      (self.body, self.most, self.skip) = (body, most, skip)
    }
  }

  private static let mostOfError = 1 << 16
  private static let mostHeaders = 1 << 16
  private static let connectLimit = 10
  private let curl: OpaquePointer
  private let authorities: String?
  private let setting: String
  private var answer = Answer()
  private var call = Call(method: "", url: "", headers: [])
  private var skip: Int64 = 0
  private var headerBytes = 0
  /// The time, in monotonic nanoseconds, at which data was last received.
  private var heard: Int64 = 0
  private var stop: Stop?

  private enum Stop { case enough, tooMuch, given }

  /// Returns nil if libcurl cannot be started.
  /// - Parameters:
  ///   - authorities: the path of a file with certificates to trust instead of the system's certificates.
  /// - setting: the name of the setting that contains this path, for use in messages.
  package init?(authorities: String?, setting: String) {
    guard Transport.isStarted, let curl = curl_easy_init() else { return nil }
    (self.curl, self.authorities, self.setting) = (OpaquePointer(curl), authorities, setting)
  }

  deinit { curl_easy_cleanup(handle) }

  private var handle: UnsafeMutableRawPointer { UnsafeMutableRawPointer(curl) }

  /// libcurl must be started before a second thread exists.
  package static let isStarted = sea_curl_start() == CURLE_OK

  package func perform(_ call: Call) throws(Broken) -> Answer {
    (self.call, answer, stop, headerBytes, skip) = (call, Answer(), nil, 0, 0)
    curl_easy_reset(handle)
    prepare()
    var lines: UnsafeMutablePointer<curl_slist>?
    for header in call.headers + [("expect", ""), ("accept", "")] {
      // A name without a value removes a default header of libcurl.
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
      return call.patience.map(wait) ?? curl_easy_perform(handle)
    }
    // The callbacks in the call must not be retained.
    defer { self.call = Call(method: "", url: "", headers: []) }
    answer.status = sea_curl_status(handle)
    if code == CURLE_OK || stop == .enough { return answer }
    if stop == .given { throw Broken(reason: "cancelled", isTemporary: true) }
    if stop == .tooMuch { throw Broken(reason: "the server sent more data than requested", isTemporary: true) }
    throw Broken(
      reason: String(cString: curl_easy_strerror(code)) + advice(code),
      isTemporary: ![
        CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CERTPROBLEM, CURLE_URL_MALFORMAT,
        CURLE_UNSUPPORTED_PROTOCOL,
      ].contains(code))
  }

  private func advice(_ code: CURLcode) -> String {
    switch code {
    case CURLE_PEER_FAILED_VERIFICATION: "; to trust other certificates, set \(setting)"
    case CURLE_SSL_CACERT_BADFILE: "; check \(setting)"
    default: ""
    }
  }

  private func prepare() {
    sea_curl_text(handle, CURLOPT_URL, call.url)
    sea_curl_text(handle, CURLOPT_PROTOCOLS_STR, "http,https")
    sea_curl_text(handle, CURLOPT_USERAGENT, "sea")
    // Requests to this machine bypass the proxy, which could not reach this machine and would see the token.
    if TunnelLocation.isPlainAndNear(call.url) { sea_curl_text(handle, CURLOPT_PROXY, "") }
    if let authorities { sea_curl_text(handle, CURLOPT_CAINFO, authorities) }
    let numbers: [(CURLoption, Int)] = [
      (CURLOPT_NOSIGNAL, 1), (CURLOPT_PATH_AS_IS, 1), (CURLOPT_FOLLOWLOCATION, 0),
      (CURLOPT_DISALLOW_USERNAME_IN_URL, 1),
      (CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1), (CURLOPT_CONNECTTIMEOUT, Transport.connectLimit),
      (CURLOPT_LOW_SPEED_LIMIT, call.leastRate), (CURLOPT_LOW_SPEED_TIME, call.silence),
      (CURLOPT_TCP_KEEPALIVE, 1),
      (CURLOPT_SSL_VERIFYPEER, 1), (CURLOPT_SSL_VERIFYHOST, 2), (CURLOPT_BUFFERSIZE, 1 << 18),
    ]
    for (option, value) in numbers { sea_curl_number(handle, option, value) }
    sea_curl_text(handle, CURLOPT_CUSTOMREQUEST, call.method)
    let context = Unmanaged.passUnretained(self).toOpaque()
    sea_curl_pointer(handle, CURLOPT_WRITEDATA, context)
    sea_curl_pointer(handle, CURLOPT_HEADERDATA, context)
    sea_curl_call(handle, CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
      Transport.of(context).receiveBody(UnsafeRawBufferPointer(start: bytes, count: size * count))
    }
    sea_curl_call(handle, CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
      Transport.of(context).receiveHeader(UnsafeRawBufferPointer(start: bytes, count: size * count))
    }
    if let source = call.source {
      sea_curl_number(handle, CURLOPT_POST, 1)
      sea_curl_size(handle, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(source.size))
      sea_curl_pointer(handle, CURLOPT_READDATA, context)
      sea_curl_call(handle, CURLOPT_READFUNCTION) { bytes, size, count, context in
        Transport.of(context).fillBody(UnsafeMutableRawBufferPointer(start: bytes, count: size * count))
      }
    }
    if call.patience != nil { sea_curl_number(handle, CURLOPT_LOW_SPEED_LIMIT, 0) }
    guard call.tick != nil, call.patience == nil else { return }
    sea_curl_number(handle, CURLOPT_NOPROGRESS, 0)
    sea_curl_pointer(handle, CURLOPT_XFERINFODATA, context)
    sea_curl_tick(handle) { context, _, _, _, _ in Transport.of(context).goesOn() ? 0 : 1 }
  }

  /// Works like `curl_easy_perform`, but sleeps until data arrives instead of waking up once a second.
  private func wait(_ patience: (ends: Int64, descriptor: Int32)) -> CURLcode {
    guard let multi = curl_multi_init() else { return CURLE_OUT_OF_MEMORY }
    defer {
      curl_multi_remove_handle(multi, handle)
      curl_multi_cleanup(multi)
    }
    curl_multi_add_handle(multi, handle)
    heard = Clock.monotonic()
    var running: Int32 = 1
    // Another thread reads the pending input, so poll at short intervals until it has done so.
    var looks = 0
    while true {
      guard curl_multi_perform(multi, &running) == CURLM_OK else { return CURLE_RECV_ERROR }
      if running == 0 { break }
      let now = Clock.monotonic()
      if now - heard > Int64(call.silence) * 1_000_000_000 { return CURLE_OPERATION_TIMEDOUT }
      guard now < patience.ends, goesOn() else {
        stop = .given
        return CURLE_ABORTED_BY_CALLBACK
      }
      var other = curl_waitfd(fd: looks > 0 ? -1 : patience.descriptor, events: 1, revents: 0)
      let due = min(patience.ends, heard + Int64(call.silence + 1) * 1_000_000_000)
      let time = looks > 0 ? 50 : Int32(clamping: (due - now) / 1_000_000 + 1)
      curl_multi_poll(multi, &other, looks > 0 ? 0 : 1, time, nil)
      looks = other.revents != 0 ? 20 : max(0, looks - 1)
    }
    var left: Int32 = 0
    guard let message = curl_multi_info_read(multi, &left) else { return CURLE_RECV_ERROR }
    return message.pointee.data.result
  }

  private func fillBody(_ room: UnsafeMutableRawBufferPointer) -> Int {
    let count = call.source?.fill(room) ?? 0
    // If the body is shorter than announced, this is an error, not the end of the body.
    return count > 0 ? count : Int(CURL_READFUNC_ABORT)
  }

  private func goesOn() -> Bool {
    if call.tick?() ?? true { return true }
    stop = .given
    return false
  }

  nonisolated(unsafe) private static let nothing: UnsafeRawPointer = UnsafeRawPointer(
    UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1))

  private static func of(_ context: UnsafeMutableRawPointer?) -> Transport {
    Unmanaged<Transport>.fromOpaque(context!).takeUnretainedValue()
  }

  /// - Returns: the number of bytes in the buffer; a lower number ends the transfer.
  private func receiveBody(_ bytes: UnsafeRawBufferPointer) -> Int {
    heard = Clock.monotonic()
    if answer.status == 0 {
      answer.status = sea_curl_status(handle)
      if !answer.isPart { skip = call.skip ?? 0 }
    }
    let isSuccess = answer.isSuccess
    if isSuccess, let sink = call.sink {
      if sink(answer, bytes) { return bytes.count }
      stop = .given
      return 0
    }
    let passed = Int(min(skip, Int64(bytes.count)))
    skip -= Int64(passed)
    let room = (isSuccess ? call.most : Transport.mostOfError) - answer.body.count
    let count = min(room, bytes.count - passed)
    answer.body.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[passed..<passed + count]))
    if passed + count == bytes.count { return bytes.count }
    // Only the beginning is needed of an error message, or of a whole file that was sent instead of a part.
    stop = !isSuccess || (!answer.isPart && call.skip != nil) ? .enough : .tooMuch
    return 0
  }

  private func receiveHeader(_ bytes: UnsafeRawBufferPointer) -> Int {
    headerBytes += bytes.count
    guard headerBytes <= Transport.mostHeaders else {
      stop = .tooMuch
      return 0
    }
    let line = String(decoding: bytes, as: UTF8.self)
    if line.hasPrefix("HTTP/") {
      // Only the headers of the last response are kept.
      answer.headers = [:]
    } else if let colon = line.firstIndex(of: ":") {
      let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }.prefix { !$0.isNewline }
      answer.headers[line[..<colon].lowercased()] = String(value)
    }
    return bytes.count
  }
}
