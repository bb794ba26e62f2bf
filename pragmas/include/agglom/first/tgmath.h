/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* <tgmath.h> (C11, 7.25) for annotated files: each macro chooses a function of <math.h> or <complex.h> by the
 * types of its arguments, in a way that any C11 compiler understands and that device code can follow. */
#ifndef AGGLOM_FIRST_TGMATH_H
#define AGGLOM_FIRST_TGMATH_H

#include <complex.h>
#include <math.h>

/* A value of the type that an argument counts as: integers count as double. */
#define __agglom_tg(x)                                                                                       \
  _Generic((x),                                                                                              \
      float: 0.0f,                                                                                           \
      long double: 0.0L,                                                                                     \
      float _Complex: (float _Complex)0.0f,                                                                  \
      double _Complex: (double _Complex)0.0,                                                                 \
      long double _Complex: (long double _Complex)0.0L,                                                      \
      default: 0.0)
/* The function for values of the type of x. */
#define __agglom_real(x, name) _Generic((x), float: name##f, long double: name##l, default: name)
#define __agglom_any(x, name, cname)                                                                         \
  _Generic((x),                                                                                              \
      float: name##f,                                                                                        \
      long double: name##l,                                                                                  \
      float _Complex: cname##f,                                                                              \
      double _Complex: cname,                                                                                \
      long double _Complex: cname##l,                                                                        \
      default: name)
#define __agglom_complex(x, cname)                                                                           \
  _Generic((x),                                                                                              \
      float: cname##f,                                                                                       \
      long double: cname##l,                                                                                 \
      float _Complex: cname##f,                                                                              \
      long double _Complex: cname##l,                                                                        \
      default: cname)

#undef acos
#define acos(x) __agglom_any(x, acos, cacos)(x)
#undef asin
#define asin(x) __agglom_any(x, asin, casin)(x)
#undef atan
#define atan(x) __agglom_any(x, atan, catan)(x)
#undef acosh
#define acosh(x) __agglom_any(x, acosh, cacosh)(x)
#undef asinh
#define asinh(x) __agglom_any(x, asinh, casinh)(x)
#undef atanh
#define atanh(x) __agglom_any(x, atanh, catanh)(x)
#undef cos
#define cos(x) __agglom_any(x, cos, ccos)(x)
#undef sin
#define sin(x) __agglom_any(x, sin, csin)(x)
#undef tan
#define tan(x) __agglom_any(x, tan, ctan)(x)
#undef cosh
#define cosh(x) __agglom_any(x, cosh, ccosh)(x)
#undef sinh
#define sinh(x) __agglom_any(x, sinh, csinh)(x)
#undef tanh
#define tanh(x) __agglom_any(x, tanh, ctanh)(x)
#undef exp
#define exp(x) __agglom_any(x, exp, cexp)(x)
#undef log
#define log(x) __agglom_any(x, log, clog)(x)
#undef sqrt
#define sqrt(x) __agglom_any(x, sqrt, csqrt)(x)
#undef fabs
#define fabs(x) __agglom_any(x, fabs, cabs)(x)
#undef pow
#define pow(x, y) __agglom_any(__agglom_tg(x) + __agglom_tg(y), pow, cpow)(x, y)

#undef cbrt
#define cbrt(x) __agglom_real(x, cbrt)(x)
#undef ceil
#define ceil(x) __agglom_real(x, ceil)(x)
#undef erf
#define erf(x) __agglom_real(x, erf)(x)
#undef erfc
#define erfc(x) __agglom_real(x, erfc)(x)
#undef exp2
#define exp2(x) __agglom_real(x, exp2)(x)
#undef expm1
#define expm1(x) __agglom_real(x, expm1)(x)
#undef floor
#define floor(x) __agglom_real(x, floor)(x)
#undef ilogb
#define ilogb(x) __agglom_real(x, ilogb)(x)
#undef lgamma
#define lgamma(x) __agglom_real(x, lgamma)(x)
#undef llrint
#define llrint(x) __agglom_real(x, llrint)(x)
#undef llround
#define llround(x) __agglom_real(x, llround)(x)
#undef log10
#define log10(x) __agglom_real(x, log10)(x)
#undef log1p
#define log1p(x) __agglom_real(x, log1p)(x)
#undef log2
#define log2(x) __agglom_real(x, log2)(x)
#undef logb
#define logb(x) __agglom_real(x, logb)(x)
#undef lrint
#define lrint(x) __agglom_real(x, lrint)(x)
#undef lround
#define lround(x) __agglom_real(x, lround)(x)
#undef nearbyint
#define nearbyint(x) __agglom_real(x, nearbyint)(x)
#undef rint
#define rint(x) __agglom_real(x, rint)(x)
#undef round
#define round(x) __agglom_real(x, round)(x)
#undef tgamma
#define tgamma(x) __agglom_real(x, tgamma)(x)
#undef trunc
#define trunc(x) __agglom_real(x, trunc)(x)

#undef atan2
#define atan2(x, y) __agglom_real(__agglom_tg(x) + __agglom_tg(y), atan2)(x, y)
#undef copysign
#define copysign(x, y) __agglom_real(__agglom_tg(x) + __agglom_tg(y), copysign)(x, y)
#undef fdim
#define fdim(x, y) __agglom_real(__agglom_tg(x) + __agglom_tg(y), fdim)(x, y)
#undef fmax
#define fmax(x, y) __agglom_real(__agglom_tg(x) + __agglom_tg(y), fmax)(x, y)
#undef fmin
#define fmin(x, y) __agglom_real(__agglom_tg(x) + __agglom_tg(y), fmin)(x, y)
#undef fmod
#define fmod(x, y) __agglom_real(__agglom_tg(x) + __agglom_tg(y), fmod)(x, y)
#undef hypot
#define hypot(x, y) __agglom_real(__agglom_tg(x) + __agglom_tg(y), hypot)(x, y)
#undef nextafter
#define nextafter(x, y) __agglom_real(__agglom_tg(x) + __agglom_tg(y), nextafter)(x, y)
#undef remainder
#define remainder(x, y) __agglom_real(__agglom_tg(x) + __agglom_tg(y), remainder)(x, y)
#undef fma
#define fma(x, y, z) __agglom_real(__agglom_tg(x) + __agglom_tg(y) + __agglom_tg(z), fma)(x, y, z)
#undef remquo
#define remquo(x, y, q) __agglom_real(__agglom_tg(x) + __agglom_tg(y), remquo)(x, y, q)
#undef frexp
#define frexp(x, y) __agglom_real(x, frexp)(x, y)
#undef ldexp
#define ldexp(x, y) __agglom_real(x, ldexp)(x, y)
#undef nexttoward
#define nexttoward(x, y) __agglom_real(x, nexttoward)(x, y)
#undef scalbln
#define scalbln(x, y) __agglom_real(x, scalbln)(x, y)
#undef scalbn
#define scalbn(x, y) __agglom_real(x, scalbn)(x, y)

#undef carg
#define carg(x) __agglom_complex(x, carg)(x)
#undef cimag
#define cimag(x) __agglom_complex(x, cimag)(x)
#undef conj
#define conj(x) __agglom_complex(x, conj)(x)
#undef cproj
#define cproj(x) __agglom_complex(x, cproj)(x)
#undef creal
#define creal(x) __agglom_complex(x, creal)(x)

#endif /* AGGLOM_FIRST_TGMATH_H */
