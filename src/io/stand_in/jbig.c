/* What libtiff's archive asks of libjbig, which is under the GPL and so must not get into programs that are given out
 * under another licence. Bilevel pictures are no heights and are refused before any of this could be called; it fails
 * if it is. */
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
