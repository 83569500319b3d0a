/* The steps of clusters: what happens to item i, for the CPU and the device. */
#ifndef BI_CLUSTER_STEPS_STEPS_H
#define BI_CLUSTER_STEPS_STEPS_H

#include "cluster/steps/centers.h"
#include "cluster/steps/dbscan.h"
#include "cluster/steps/directions.h"
#include "cluster/steps/hdbscan.h"
#include "cluster/steps/membership.h"
#include "cluster/steps/order.h"
#include "cluster/steps/predict.h"
#include "cluster/steps/validity.h"

struct bi_cluster_steps {
#define BI_STEP(name, args_t) bi_step_fn name;
#include "cluster/steps/steps.def"
#undef BI_STEP
};

#endif
