/* Names and texts of status codes, names and sizes of element types. */
#include <boscage/base.h>

const char *bosc_status_name(bosc_status status)
{
    switch (status) {
#define NAME(name, number, text) \
    case BOSC_##name: return "BOSC_" #name;
        BOSC_STATUS_LIST(NAME)
#undef NAME
    }
    return "unknown status";
}

const char *bosc_status_text(bosc_status status)
{
    switch (status) {
#define TEXT(name, number, text) \
    case BOSC_##name: return text;
        BOSC_STATUS_LIST(TEXT)
#undef TEXT
    }
    return "unknown status";
}

const char *bosc_version(void) { return BOSC_VERSION_STRING; }

size_t bosc_dtype_size(bosc_dtype dtype)
{
    switch (dtype) {
    case BOSC_U8:
    case BOSC_I8: return 1;
    case BOSC_I16:
    case BOSC_U16: return 2;
    case BOSC_F32:
    case BOSC_I32:
    case BOSC_U32: return 4;
    case BOSC_F64:
    case BOSC_I64:
    case BOSC_U64: return 8;
    }
    return 0;
}

const char *bosc_dtype_name(bosc_dtype dtype)
{
    switch (dtype) {
    case BOSC_U8: return "u8";
    case BOSC_I8: return "i8";
    case BOSC_I16: return "i16";
    case BOSC_U16: return "u16";
    case BOSC_F32: return "f32";
    case BOSC_I32: return "i32";
    case BOSC_U32: return "u32";
    case BOSC_F64: return "f64";
    case BOSC_I64: return "i64";
    case BOSC_U64: return "u64";
    }
    return "?";
}
