/* Joins two tables as a database does: orders name a customer, and each order gets the customer's country; then every
 * customer gets the list of his orders. Tables are built and queried in batches. */
#include <boscage/boscage.h>

#include <stdio.h>
#include <stdlib.h>

enum { CUSTOMERS = 1000, ORDERS = 20000 };

static uint64_t customer[CUSTOMERS], buyer[ORDERS];
static uint32_t country[CUSTOMERS], order_country[ORDERS], order_number[ORDERS], orders_of[ORDERS];
static uint8_t known[ORDERS];
static int64_t first[CUSTOMERS + 1];

/* Prints a failure with its message. */
static int check(bosc_ctx *ctx, const char *what, bosc_status status)
{
    if (status) fprintf(stderr, "%s: %s %s\n", what, bosc_status_text(status), ctx ? bosc_ctx_message(ctx) : "");
    return status == BOSC_OK;
}

/* A map from customer to country, read once for each order. */
static int look_up_countries(bosc_ctx *ctx)
{
    bosc_hash_opts opts = {.size = sizeof opts, .key_bits = 64, .value_size = sizeof *country};
    bosc_hash *table = NULL;
    int ok = check(ctx, "create", bosc_hash_create(ctx, &opts, &table)) &&
             check(ctx, "build", bosc_hash_build(ctx, table, customer, country, CUSTOMERS)) &&
             check(ctx, "find", bosc_hash_find(ctx, table, buyer, ORDERS, order_country, known));
    int64_t strangers = 0;
    for (int i = 0; i < ORDERS; i++) strangers += !known[i];
    if (ok) printf("%d orders, %lld by strangers\n", ORDERS, (long long)strangers);
    bosc_hash_free(table);
    return ok;
}

/* A multimap from customer to orders; all lists come as CSR rows, by two calls. */
static int group(bosc_ctx *ctx)
{
    bosc_hash_opts opts = {
        .size = sizeof opts, .kind = BOSC_HASH_MULTIMAP, .key_bits = 64, .value_size = sizeof *order_number};
    bosc_hash *table = NULL;
    int ok = check(ctx, "create", bosc_hash_create(ctx, &opts, &table)) &&
             check(ctx, "build", bosc_hash_build(ctx, table, buyer, order_number, ORDERS)) &&
             check(ctx, "count", bosc_hash_retrieve(ctx, table, customer, CUSTOMERS, first, NULL, 0)) &&
             check(ctx, "retrieve", bosc_hash_retrieve(ctx, table, customer, CUSTOMERS, first, orders_of, ORDERS));
    if (ok)
        printf("customer %llu has %lld orders, the first of them number %u\n", (unsigned long long)customer[7],
               (long long)(first[8] - first[7]), orders_of[first[7]]);
    bosc_hash_free(table);
    return ok;
}

int main(void)
{
    bosc_ctx *ctx = NULL;
    for (uint32_t i = 0; i < CUSTOMERS; i++) customer[i] = 1000000007ull * i, country[i] = i % 50;
    for (uint32_t i = 0; i < ORDERS; i++) {
        uint32_t c = i * 2654435761u % (CUSTOMERS + 100); /* the last hundred are not registered */
        buyer[i] = 1000000007ull * c;
        order_number[i] = i;
    }
    int ok = check(NULL, "context", bosc_ctx_create(NULL, &ctx)) && look_up_countries(ctx) && group(ctx);
    bosc_ctx_free(ctx);
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
