/* A C program that trains a model in Lua once, and then asks it for predictions by tensors: no text crosses.
 *   cc predict.c $(pkg-config --cflags --libs lutra) && ./a.out */
#include <lutra.h>
#include <stdio.h>
#include <stdlib.h>

static const char script[] =
    "lt.random.set_seed(1)\n"
    "local x = lt.random.uniform({256, 2})\n"
    "local y = lt.matmul(x, {{3.0}, {-2.0}}) + 0.5\n"
    "local model = lt.nn.Sequential {lt.nn.Dense(1, {input_shape = {2}})}\n"
    "model:compile {optimizer = lt.optim.Adam {learning_rate = 0.1}, loss = 'mse'}\n"
    "model:fit(x, y, {epochs = 60, verbose = 0})\n"
    "function predict(batch) return model(batch) end\n";

static void fail(const lutra_t* lutra) {
  fprintf(stderr, "predict: %s\n", lutra_error(lutra));
  exit(1);
}

int main(void) {
  const float points[6] = {0, 0, 1, 0, 0, 1};
  const int64_t shape[2] = {3, 2};
  float predicted[3];
  size_t i;
  lutra_tensor* batch;
  lutra_value in, out;
  lutra_t* lutra = lutra_open(NULL);
  if (lutra == NULL) fail(NULL);
  if (lutra_run_string(lutra, script, "predict.lua") != LUTRA_OK) fail(lutra);

  /* The points are used where they are. */
  if (lutra_tensor_wrap(lutra, LUTRA_FLOAT32, 2, shape, points, sizeof points, NULL, NULL, &batch) != LUTRA_OK) fail(lutra);
  in = lutra_tensor_value(batch);
  if (lutra_call(lutra, "predict", &in, 1, &out, 1, NULL) != LUTRA_OK) fail(lutra);
  if (out.type != LUTRA_TENSOR || lutra_tensor_read(out.as.tensor, predicted, sizeof predicted) != LUTRA_OK) fail(lutra);
  for (i = 0; i < 3; ++i) printf("(%g, %g) -> %.1f\n", points[2 * i], points[2 * i + 1], predicted[i]);
  lutra_value_clear(&out);
  lutra_tensor_release(batch);
  lutra_close(lutra);
  return 0;
}
