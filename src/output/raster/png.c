/* png.c: pixels as a PNG file; the only place that knows libpng. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "output/part.h"
#include "output/raster/raster.h"

#ifdef CAROM_NO_PNG

carom_status carom_png_write(const char *path, const carom_canvas *canvas, carom_error *error)
{
    (void)canvas;
    CAROM_FAIL(error, CAROM_UNSUPPORTED, "'%s': this carom was built without libpng; .svg works", path);
}

#else

#include <png.h>

carom_status carom_png_write(const char *path, const carom_canvas *canvas, carom_error *error)
{
    png_image image;
    if (canvas->failed)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "'%s': no memory to draw the picture", path);
    memset(&image, 0, sizeof image);
    image.version = PNG_IMAGE_VERSION;
    image.width = (png_uint_32)canvas->width;
    image.height = (png_uint_32)canvas->height;
    image.format = PNG_FORMAT_RGB;
    carom_part part;
    CAROM_TRY(carom_part_open(&part, path, error));
    const int written = png_image_write_to_stdio(&image, part.file, 0, canvas->rgb, 0, NULL);
    const int reason = errno;
    const int closed = carom_part_close(&part, written);
    png_image_free(&image);
    if (!written)
        CAROM_FAIL(error, CAROM_FILE, "'%s' cannot be written: %s", path,
                   *image.message ? image.message : strerror(reason));
    if (closed)
        CAROM_FAIL(error, CAROM_FILE, "'%s' cannot be written: %s", path, strerror(closed));
    return CAROM_OK;
}

#endif
