#!/usr/bin/env python3
# glyphs.py FONT.ttf > font.c: the outlines of the characters that pictures need, as polygons.
import struct, sys

data = open(sys.argv[1], 'rb').read()
tables = {}
for i in range(struct.unpack('>H', data[4:6])[0]):
    tag, _, offset, length = struct.unpack('>4sIII', data[12 + 16 * i:28 + 16 * i])
    tables[tag.decode()] = offset
u16 = lambda at: struct.unpack('>H', data[at:at + 2])[0]
i16 = lambda at: struct.unpack('>h', data[at:at + 2])[0]
em, long_loca, metrics = u16(tables['head'] + 18), i16(tables['head'] + 50), u16(tables['hhea'] + 34)

def glyph_number(code):
    cmap = tables['cmap']
    for i in range(u16(cmap + 2)):
        platform, encoding, offset = struct.unpack('>HHI', data[cmap + 4 + 8 * i:cmap + 12 + 8 * i])
        at = cmap + offset
        if u16(at) != 4:
            continue
        n = u16(at + 6) // 2
        for k in range(n):
            end, start = u16(at + 14 + 2 * k), u16(at + 16 + 2 * n + 2 * k)
            if start <= code <= end:
                delta, where = i16(at + 16 + 4 * n + 2 * k), at + 16 + 6 * n + 2 * k
                if u16(where) == 0:
                    return (code + delta) & 0xffff
                g = u16(where + u16(where) + 2 * (code - start))
                return (g + delta) & 0xffff if g else 0
    return 0

def contours(g):
    at = tables['loca'] + (4 if long_loca else 2) * g
    begin, end = (struct.unpack('>II', data[at:at + 8])) if long_loca else (2 * u16(at), 2 * u16(at + 2))
    if begin == end:
        return []
    at = tables['glyf'] + begin
    n = i16(at)
    at += 10
    if n < 0:  # made of others
        out = []
        while True:
            flags, part = u16(at), u16(at + 2)
            at += 4
            dx, dy = (i16(at), i16(at + 2)) if flags & 1 else struct.unpack('>bb', data[at:at + 2])
            at += 4 if flags & 1 else 2
            at += 2 if flags & 8 else 4 if flags & 0x40 else 8 if flags & 0x80 else 0
            out += [[(x + dx, y + dy, on) for x, y, on in c] for c in contours(part)]
            if not flags & 0x20:
                return out
    ends = [u16(at + 2 * i) for i in range(n)]
    at += 2 * n
    at += 2 + u16(at)
    flags = []
    while len(flags) <= ends[-1]:
        f = data[at]
        at += 1
        flags.append(f)
        if f & 8:
            flags += [f] * data[at]
            at += 1
    axes = []
    for short, same in ((2, 16), (4, 32)):
        value, out = 0, []
        for f in flags:
            if f & short:
                value += data[at] if f & same else -data[at]
                at += 1
            elif not f & same:
                value += i16(at)
                at += 2
            out.append(value)
        axes.append(out)
    points = [(x, y, f & 1) for x, y, f in zip(*axes, flags)]
    return [points[(ends[i - 1] + 1 if i else 0):ends[i] + 1] for i in range(n)]

def flat(contour):  # quadratic curves to lines
    full = []
    for i, (x, y, on) in enumerate(contour):
        px, py, pon = contour[i - 1]
        if not on and not pon:
            full.append(((x + px) / 2, (y + py) / 2, 1))
        full.append((x, y, on))
    while not full[0][2]:
        full = full[1:] + full[:1]
    out = []
    for i, (x, y, on) in enumerate(full):
        nx, ny, non = full[(i + 1) % len(full)]
        if on:
            out.append((x, y))
        else:
            px, py, _ = full[i - 1]
            steps = 3 if abs(px - nx) + abs(py - ny) > em / 8 else 2
            for k in range(1, steps):
                s = k / steps
                out.append(((1 - s) ** 2 * px + 2 * s * (1 - s) * x + s * s * nx, (1 - s) ** 2 * py + 2 * s * (1 - s) * y + s * s * ny))
    return out

codes = list(range(32, 127)) + [0xb0, 0xb2, 0xb7, 0xd7] + list(range(0x3b1, 0x3ca)) + [0x394, 0x3a9, 0x2212]
scale, numbers, table = 120 / em, [], []
for code in codes:
    g = glyph_number(code)
    width = round(scale * u16(tables['hmtx'] + 4 * min(g, metrics - 1)))
    table.append((code, width, len(numbers)))
    for c in contours(g):
        line = []
        for x, y in flat(c):
            p = (round(scale * x), round(scale * y))
            if not line or p != line[-1]:
                line.append(p)
        numbers += [len(line)] + [v for p in line for v in p]
    numbers.append(0)
assert min(numbers) >= -128 and max(numbers) <= 127, (min(numbers), max(numbers))
print('''/* font.c: outlines of letters, made by tools/glyphs.py from DejaVu Sans 2.37. Units: 1/120 of the font's size.
 *
 * DejaVu Sans: Copyright (c) 2003 by Bitstream, Inc. All Rights Reserved. Bitstream Vera is a trademark of Bitstream,
 * Inc. Changes by the DejaVu project are in the public domain. Permission is hereby granted, free of charge, to any
 * person obtaining a copy of the fonts accompanying this license ("Fonts") and associated documentation files (the
 * "Font Software"), to reproduce and distribute the Font Software, including without limitation the rights to use,
 * copy, merge, publish, distribute, and/or sell copies of the Font Software, and to permit persons to whom the Font
 * Software is furnished to do so, subject to the following conditions: The above copyright and trademark notices and
 * this permission notice shall be included in all copies of one or more of the Font Software typefaces. The Font
 * Software may be modified, altered, or added to, and in particular the designs of glyphs or characters in the Fonts
 * may be modified and additional glyphs or characters may be added to the Fonts, only if the fonts are renamed to
 * names not containing either the words "Bitstream" or the word "Vera". The Font Software may be sold as part of a
 * larger software package but no copy of one or more of the Font Software typefaces may be sold by itself. THE FONT
 * SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO ANY
 * WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT OF COPYRIGHT, PATENT, TRADEMARK,
 * OR OTHER RIGHT. IN NO EVENT SHALL BITSTREAM OR THE GNOME FOUNDATION BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
 * LIABILITY, INCLUDING ANY GENERAL, SPECIAL, INDIRECT, INCIDENTAL, OR CONSEQUENTIAL DAMAGES, WHETHER IN AN ACTION OF
 * CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF THE USE OR INABILITY TO USE THE FONT SOFTWARE OR FROM OTHER
 * DEALINGS IN THE FONT SOFTWARE. */
#include "output/raster/font.h"

/* Of each glyph its outlines: the number of points, then x and y of each; 0 ends it. */
static const signed char outline[] = {''')
row = '   '
for v in numbers:
    if len(row) + len(str(v)) + 2 > 118:
        print(row)
        row = '   '
    row += f' {v},'
print(row.rstrip(',') + '};\n')
print('static const struct {\n    unsigned short code;\n    short width;\n    int first;\n} glyph[] = {')
row = '   '
for entry in table:
    text = ' {0x%x, %d, %d},' % entry
    if len(row) + len(text) > 118:
        print(row)
        row = '   '
    row += text
print(row.rstrip(',') + '};')
print('''
const signed char *carom_font_glyph(unsigned code, int *width)
{
    for (size_t i = 0; i < sizeof glyph / sizeof *glyph; i++)
        if (glyph[i].code == code) {
            *width = glyph[i].width;
            return outline + glyph[i].first;
        }
    return NULL;
}''')
