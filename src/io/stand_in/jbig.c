/* Stand-ins for the functions of libjbig that libtiff's archive refers to. libjbig is under the GPL, so programs under
 * another licence must not contain it. They are never called, since bilevel pictures hold no heights and are refused
 * before; all fail. */
int jbg_dec_in(void);
int jbg_dec_init(void);
int jbg_dec_free(void);
int jbg_enc_init(void);
int jbg_enc_out(void);
int jbg_enc_free(void);
int jbg_newlen(void);
long jbg_dec_getsize(void);
unsigned char *jbg_dec_getimage(void);
const char *jbg_strerror(void);

int jbg_dec_in(void) { return -1; }
int jbg_dec_init(void) { return -1; }
int jbg_dec_free(void) { return -1; }
int jbg_enc_init(void) { return -1; }
int jbg_enc_out(void) { return -1; }
int jbg_enc_free(void) { return -1; }
int jbg_newlen(void) { return -1; }
long jbg_dec_getsize(void) { return 0; }
unsigned char *jbg_dec_getimage(void) { return 0; }
const char *jbg_strerror(void) { return "not built with JBIG"; }
