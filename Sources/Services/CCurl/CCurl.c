#include "CCurl.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

// Every function that is called, by the type that its declaration has.
static struct {
  __typeof__(&curl_global_init) global_init;
  __typeof__(&curl_easy_init) easy_init;
  __typeof__(&curl_easy_cleanup) easy_cleanup;
  CURLcode (*easy_setopt)(CURL *, CURLoption, ...);
  __typeof__(&curl_easy_pause) easy_pause;
  __typeof__(&curl_easy_strerror) easy_strerror;
  __typeof__(&curl_slist_append) slist_append;
  __typeof__(&curl_slist_free_all) slist_free_all;
  __typeof__(&curl_multi_init) multi_init;
  __typeof__(&curl_multi_cleanup) multi_cleanup;
  CURLMcode (*multi_setopt)(CURLM *, CURLMoption, ...);
  __typeof__(&curl_multi_add_handle) multi_add_handle;
  __typeof__(&curl_multi_remove_handle) multi_remove_handle;
  __typeof__(&curl_multi_perform) multi_perform;
  __typeof__(&curl_multi_poll) multi_poll;
  __typeof__(&curl_multi_wakeup) multi_wakeup;
  __typeof__(&curl_multi_info_read) multi_info_read;
} library;

static const struct {
  const char *name;
  void **place;
} functions[] = {
    {"curl_global_init", (void **)&library.global_init},
    {"curl_easy_init", (void **)&library.easy_init},
    {"curl_easy_cleanup", (void **)&library.easy_cleanup},
    {"curl_easy_setopt", (void **)&library.easy_setopt},
    {"curl_easy_pause", (void **)&library.easy_pause},
    {"curl_easy_strerror", (void **)&library.easy_strerror},
    {"curl_slist_append", (void **)&library.slist_append},
    {"curl_slist_free_all", (void **)&library.slist_free_all},
    {"curl_multi_init", (void **)&library.multi_init},
    {"curl_multi_cleanup", (void **)&library.multi_cleanup},
    {"curl_multi_setopt", (void **)&library.multi_setopt},
    {"curl_multi_add_handle", (void **)&library.multi_add_handle},
    {"curl_multi_remove_handle", (void **)&library.multi_remove_handle},
    {"curl_multi_perform", (void **)&library.multi_perform},
    {"curl_multi_poll", (void **)&library.multi_poll},
    {"curl_multi_wakeup", (void **)&library.multi_wakeup},
    {"curl_multi_info_read", (void **)&library.multi_info_read},
};

// Debian's names for the builds with OpenSSL, GnuTLS and NSS; other systems have the first, or macOS's.
static const char *const names[] = {
    "libcurl.so.4", "libcurl-gnutls.so.4", "libcurl-nss.so.4", "libcurl.4.dylib",
};

const char *libcurl_load(void) {
  static char problem[160];
  // libcurl and the TLS libraries below it would write every session's secrets to that file. Some look only at the
  // first connection, so it is not put back.
  if (getenv("SSLKEYLOGFILE") != NULL) unsetenv("SSLKEYLOGFILE");
  void *handle = NULL;
  for (size_t name = 0; handle == NULL && name < sizeof names / sizeof *names; name++)
    handle = dlopen(names[name], RTLD_NOW | RTLD_LOCAL);
  if (handle == NULL) return "libcurl is not installed; on Debian and Ubuntu: apt-get install libcurl4";
  for (size_t function = 0; function < sizeof functions / sizeof *functions; function++) {
    *functions[function].place = dlsym(handle, functions[function].name);
    if (*functions[function].place != NULL) continue;
    snprintf(problem, sizeof problem, "the libcurl that is installed has no %s; install 7.68 or newer",
             functions[function].name);
    return problem;
  }
  CURLcode code = library.global_init(CURL_GLOBAL_DEFAULT);
  if (code == CURLE_OK) return NULL;
  snprintf(problem, sizeof problem, "libcurl cannot begin: %s", library.easy_strerror(code));
  return problem;
}

CURL *libcurl_easy_init(void) { return library.easy_init(); }

void libcurl_easy_cleanup(CURL *easy) { library.easy_cleanup(easy); }

CURLcode libcurl_easy_set_long(CURL *easy, CURLoption option, long value) {
  return library.easy_setopt(easy, option, value);
}

CURLcode libcurl_easy_set_pointer(CURL *easy, CURLoption option, const void *value) {
  return library.easy_setopt(easy, option, value);
}

CURLcode libcurl_easy_set_callback(CURL *easy, CURLoption option, curl_write_callback callback) {
  return library.easy_setopt(easy, option, callback);
}

CURLcode libcurl_easy_set_http_only(CURL *easy) {
#if LIBCURL_VERSION_NUM >= 0x075500
  CURLcode code = library.easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  // Built with newer headers than the library that is there.
  if (code != CURLE_UNKNOWN_OPTION) return code;
#endif
  // CURLOPT_PROTOCOLS, which newer headers call deprecated.
  return library.easy_setopt(easy, (CURLoption)181, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
}

CURLcode libcurl_easy_set_quick_exit(CURL *easy) {
#if LIBCURL_VERSION_NUM >= 0x075700
  return library.easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
#else
  return CURLE_UNKNOWN_OPTION;
#endif
}

CURLcode libcurl_easy_go_on(CURL *easy) { return library.easy_pause(easy, CURLPAUSE_CONT); }

const char *libcurl_easy_strerror(CURLcode code) { return library.easy_strerror(code); }

struct curl_slist *libcurl_slist_append(struct curl_slist *list, const char *text) {
  return library.slist_append(list, text);
}

void libcurl_slist_free_all(struct curl_slist *list) { library.slist_free_all(list); }

CURLM *libcurl_multi_init(void) { return library.multi_init(); }

CURLMcode libcurl_multi_cleanup(CURLM *multi) { return library.multi_cleanup(multi); }

CURLMcode libcurl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
  return library.multi_setopt(multi, option, value);
}

CURLMcode libcurl_multi_add_handle(CURLM *multi, CURL *easy) { return library.multi_add_handle(multi, easy); }

CURLMcode libcurl_multi_remove_handle(CURLM *multi, CURL *easy) { return library.multi_remove_handle(multi, easy); }

CURLMcode libcurl_multi_perform(CURLM *multi) {
  int running;
  return library.multi_perform(multi, &running);
}

CURLMcode libcurl_multi_wait_for_work(CURLM *multi, int milliseconds) {
  return library.multi_poll(multi, NULL, 0, milliseconds, NULL);
}

CURLMcode libcurl_multi_wakeup(CURLM *multi) { return library.multi_wakeup(multi); }

CURL *libcurl_multi_next_done(CURLM *multi, CURLcode *result) {
  int left;
  for (CURLMsg *message; (message = library.multi_info_read(multi, &left)) != NULL;) {
    if (message->msg != CURLMSG_DONE) continue;
    *result = message->data.result;
    return message->easy_handle;
  }
  return NULL;
}
