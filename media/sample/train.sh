#!/bin/sh
# Fits a line to noisy points by gradient descent and draws the loss of each epoch. It needs no packages.
set -eu
mkdir -p outputs
awk -v epochs="${EPOCHS:-40}" -v pause="${PAUSE:-0.25}" '
BEGIN {
  srand(7)
  count = 64
  for (i = 1; i <= count; i++) {
    x[i] = i / count
    y[i] = 3 * x[i] - 1 + (rand() - 0.5) / 5
  }
  print "epoch,loss" > "outputs/loss.csv"
  for (epoch = 1; epoch <= epochs; epoch++) {
    loss = 0; dw = 0; db = 0
    for (i = 1; i <= count; i++) {
      e = w * x[i] + b - y[i]
      loss += e * e / count
      dw += 2 * e * x[i] / count
      db += 2 * e / count
    }
    w -= 0.6 * dw
    b -= 0.6 * db
    losses[epoch] = loss
    if (loss > most) most = loss
    printf "epoch %d of %d: loss %.4f\n", epoch, epochs, loss
    fflush()
    printf "%d,%.6f\n", epoch, loss > "outputs/loss.csv"
    if (pause > 0) system("sleep " pause)
  }
  printf "{ \"w\": %.4f, \"b\": %.4f }\n", w, b > "outputs/model.json"
  svg = "outputs/loss.svg"
  print "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 640 320\" font-family=\"sans-serif\" font-size=\"14\">" > svg
  print "<rect width=\"640\" height=\"320\" fill=\"#ffffff\"/>" > svg
  print "<path d=\"M60 20V270H620\" fill=\"none\" stroke=\"#666666\"/>" > svg
  printf "<text x=\"52\" y=\"30\" text-anchor=\"end\">%.2f</text>\n", most > svg
  print "<text x=\"52\" y=\"274\" text-anchor=\"end\">0</text>" > svg
  printf "<text x=\"620\" y=\"294\" text-anchor=\"end\">epoch %d</text>\n", epochs > svg
  print "<text x=\"340\" y=\"24\" text-anchor=\"middle\" font-weight=\"bold\">Loss</text>" > svg
  printf "<polyline fill=\"none\" stroke=\"#0066bf\" stroke-width=\"3\" points=\"" > svg
  for (epoch = 1; epoch <= epochs; epoch++) {
    at = epochs > 1 ? (epoch - 1) / (epochs - 1) : 0
    printf "%.1f,%.1f ", 60 + 560 * at, 270 - (most > 0 ? 250 * losses[epoch] / most : 0) > svg
  }
  print "\"/>" > svg
  print "</svg>" > svg
}'
echo "The chart is outputs/loss.svg."
