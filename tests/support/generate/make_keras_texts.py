"""Writes tests/support/golden/keras_texts.lua: what Keras 3 gives for models whose first layers take strings: predictions,
and losses and weights after training.

    KERAS_BACKEND=tensorflow python3 tests/support/generate/make_keras_texts.py > tests/support/golden/keras_texts.lua
"""
import keras
import numpy as np
import tensorflow as tf

L = keras.layers
TEXTS = ["The film was good, really good!", "bad film", "what a bad, bad plot", "good plot", "the film", "unseen words only"]
LABELS = np.array([[1.0], [0.0], [0.0], [1.0], [1.0], [0.0]], "float32")


def noise(seed, shape):
    i = np.arange(int(np.prod(shape)), dtype=np.int64)
    values = ((i * 7919 + seed * 104729) * (i + 31) % 16777213) / 8388606.5 - 1
    return (values * 0.5).reshape(shape).astype("float32")


def numbers(array):
    return "{ " + ", ".join(f"{v:.7g}" for v in np.asarray(array).reshape(-1).tolist()) + " }"


def trained(name, model, x, rows):
    """rows: how many last rows of x are only predicted. Embeddings are written without row 0, the padding's, and begin with
    the row of id 1."""
    first = {key: value[:-rows] for key, value in x.items()} if isinstance(x, dict) else x[:-rows]
    for i, weight in enumerate(model.trainable_weights):
        weight.assign(noise(10 + i, weight.shape))
    start = [np.array(w) for w in model.trainable_weights]
    before = model.predict(x, verbose=0)
    model.compile(optimizer=keras.optimizers.SGD(0.5), loss="binary_crossentropy")
    history = model.fit(first, LABELS[:-rows], epochs=3, batch_size=2, shuffle=False, verbose=0)
    after = model.predict(x, verbose=0)

    def written(weights):
        return "{ " + ", ".join(numbers(w[1:] if "embeddings" in v.path else w) for w, v in
                                zip(weights, model.trainable_weights)) + " }"
    print(f"  {name} = {{")
    print(f"    weights = {written(start)},")
    print(f"    before = {numbers(before)}, after = {numbers(after)},")
    print(f"    losses = {numbers(history.history['loss'])},")
    print(f"    trained = {written([np.array(w) for w in model.trainable_weights])},")
    print("  },")


def main():
    print("-- Written by make_keras_texts.py.\nreturn {")
    texts = tf.constant(TEXTS)
    vectorize = L.TextVectorization()
    vectorize.adapt(TEXTS[:4])
    trained("ids", keras.Sequential([
        keras.Input((), dtype="string"), vectorize, L.Embedding(vectorize.vocabulary_size(), 3, mask_zero=True),
        L.GlobalAveragePooling1D(), L.Dense(1, activation="sigmoid")]), texts, 2)
    counts = L.TextVectorization(output_mode="tf_idf")
    counts.adapt(TEXTS[:4])
    trained("tf_idf", keras.Sequential([
        keras.Input((1,), dtype="string"), counts, L.Dense(2, activation="tanh"), L.Dense(1, activation="sigmoid")]),
        texts[:, None], 2)
    title, kind, price = (keras.Input((), dtype="string", name="title"), keras.Input((1,), dtype="string", name="kind"),
                          keras.Input((2,), name="price"))
    hot = L.TextVectorization(output_mode="multi_hot", max_tokens=6)
    hot.adapt(TEXTS[:4])
    joined = L.Concatenate()([hot(title), L.StringLookup(vocabulary=["film", "plot"], output_mode="one_hot")(kind), price])
    trained("inputs", keras.Model([title, kind, price], L.Dense(1, activation="sigmoid")(joined)), {
        "title": texts, "kind": tf.constant([["film"], ["film"], ["plot"], ["plot"], ["film"], ["none"]]),
        "price": tf.constant(noise(3, (6, 2)))}, 2)
    print("}")


main()
