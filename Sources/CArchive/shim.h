#pragma once
#include <archive.h>
#include <archive_entry.h>
#include <zlib.h>

/* A cast in a macro, which Swift does not import. */
static const unsigned int SEA_AE_IFREG = AE_IFREG;
