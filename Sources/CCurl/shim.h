#pragma once
#include <curl/curl.h>

/* Functions with a variable number of arguments, each for one kind of them. */
static inline CURLcode sea_curl_number(CURL *curl, CURLoption option, long value) {
  return curl_easy_setopt(curl, option, value);
}
static inline CURLcode sea_curl_size(CURL *curl, CURLoption option, curl_off_t value) {
  return curl_easy_setopt(curl, option, value);
}
static inline CURLcode sea_curl_text(CURL *curl, CURLoption option, const char *value) {
  return curl_easy_setopt(curl, option, value);
}
static inline CURLcode sea_curl_pointer(CURL *curl, CURLoption option, const void *value) {
  return curl_easy_setopt(curl, option, value);
}
typedef size_t (*sea_curl_taker)(char *bytes, size_t size, size_t count, void *context);
static inline CURLcode sea_curl_call(CURL *curl, CURLoption option, sea_curl_taker value) {
  return curl_easy_setopt(curl, option, value);
}
typedef int (*sea_curl_ticker)(void *context, curl_off_t coming, curl_off_t came, curl_off_t going, curl_off_t gone);
static inline CURLcode sea_curl_tick(CURL *curl, sea_curl_ticker value) {
  return curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, value);
}
static inline long sea_curl_status(CURL *curl) {
  long status = 0;
  curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
  return status;
}
static inline CURLcode sea_curl_start(void) { return curl_global_init(CURL_GLOBAL_DEFAULT); }
