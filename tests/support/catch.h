// The only place that names Catch2's header: version 2 (Debian 12) and version 3 lay theirs out differently.
#pragma once

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
using Catch::Approx;
#else
#include <catch2/catch.hpp>
#endif
