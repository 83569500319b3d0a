/* Random rotations of a search. */
#include "base/philox.h"
#include "planner/route_search.h"

/* Returns a random number in [0, 1), a function of the planner's seed and the counter. */
static double random_unit(struct bi_planner_search *search)
{
    enum { STREAM = 0x6d656e64 }; /* any constant: keeps these numbers apart from other uses of the seed */
    struct bi_philox words = bi_philox_at(search->planner->opts.seed, STREAM, search->counter++);
    return (double)(((uint64_t)words.v[0] << 32 | words.v[1]) >> 11) * 0x1p-53;
}

/* Rejection from a 4-cube gives a point in the unit ball, whose direction is uniform. */
void bi_planner_sample_rotation(struct bi_planner_search *search, double *to)
{
    double q[4], length2;
    do {
        for (int k = 0; k < 4; k++) q[k] = 2 * random_unit(search) - 1;
        length2 = (q[0] * q[0] + q[1] * q[1]) + (q[2] * q[2] + q[3] * q[3]);
    } while (length2 > 1 || length2 < 0x1p-20);
    bi_planner_normalize(q, to);
}

/* Rejection from a cube gives a point in the unit ball, which offsets q in its tangent space. */
void bi_planner_sample_near(struct bi_planner_search *search, const double *q, double radius, double *to)
{
    double v[3], length2;
    do {
        for (int k = 0; k < 3; k++) v[k] = 2 * random_unit(search) - 1;
        length2 = bi_planner_dot(v, v);
    } while (length2 > 1);
    double w = 1, x = radius * v[0], y = radius * v[1], z = radius * v[2];
    double p[4] = {(q[0] * w - q[1] * x) - (q[2] * y + q[3] * z), (q[0] * x + q[1] * w) + (q[2] * z - q[3] * y),
                   (q[0] * y + q[2] * w) + (q[3] * x - q[1] * z), (q[0] * z + q[3] * w) + (q[1] * y - q[2] * x)};
    bi_planner_normalize(p, to);
}
