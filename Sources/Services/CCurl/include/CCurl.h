// libcurl as it is called from Swift. It is loaded when it is needed: linked, it and the thirty libraries
// that it needs would take 13 ms of every start of a program that seldom downloads.
#ifndef CCURL_H
#define CCURL_H

#include <curl/curl.h>

/// Loads libcurl. To be called once, and to its end, before anything else here. Removes `SSLKEYLOGFILE` from the
/// environment.
///
/// - Returns: NULL, or why it cannot be used; the text stays.
const char *libcurl_load(void);

CURL *libcurl_easy_init(void);
void libcurl_easy_cleanup(CURL *easy);
CURLcode libcurl_easy_set_long(CURL *easy, CURLoption option, long value);
/// Of a text, libcurl keeps a copy; of anything else the address.
CURLcode libcurl_easy_set_pointer(CURL *easy, CURLoption option, const void *value);
CURLcode libcurl_easy_set_callback(CURL *easy, CURLoption option, curl_write_callback callback);
/// No other protocol than http and https.
CURLcode libcurl_easy_set_http_only(CURL *easy);
/// Where a name is still looked up, the end of a transfer does not wait for it. Unknown to versions before 7.87.
CURLcode libcurl_easy_set_quick_exit(CURL *easy);
CURLcode libcurl_easy_go_on(CURL *easy);
const char *libcurl_easy_strerror(CURLcode code);

struct curl_slist *libcurl_slist_append(struct curl_slist *list, const char *text);
void libcurl_slist_free_all(struct curl_slist *list);

CURLM *libcurl_multi_init(void);
CURLMcode libcurl_multi_cleanup(CURLM *multi);
CURLMcode libcurl_multi_set_long(CURLM *multi, CURLMoption option, long value);
CURLMcode libcurl_multi_add_handle(CURLM *multi, CURL *easy);
CURLMcode libcurl_multi_remove_handle(CURLM *multi, CURL *easy);
CURLMcode libcurl_multi_perform(CURLM *multi);
/// Waits until something can be done, `libcurl_multi_wakeup` is called, or so many milliseconds are over.
CURLMcode libcurl_multi_wait_for_work(CURLM *multi, int milliseconds);
CURLMcode libcurl_multi_wakeup(CURLM *multi);
/// A transfer that has ended, and how; NULL where there is none.
CURL *libcurl_multi_next_done(CURLM *multi, CURLcode *result);

#endif
