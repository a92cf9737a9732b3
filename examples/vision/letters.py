"""Words as pictures: a font of 5 x 7 dots, drawn large and smooth.

    rows = letters.line("YARROW", 32)     # ink from 0 to 1, 32 rows
"""

# Seven rows of five dots each, from the top.
FONT = {
    "A": "0E11111F111111", "B": "1E11111E11111E", "C": "0E11101010110E", "D": "1E11111111111E",
    "E": "1F10101E10101F", "F": "1F10101E101010", "G": "0E11101711110F", "H": "1111111F111111",
    "I": "0E04040404040E", "J": "0702020202120C", "K": "11121418141211", "L": "1010101010101F",
    "M": "111B1515111111", "N": "11111915131111", "O": "0E11111111110E", "P": "1E11111E101010",
    "Q": "0E11111115120D", "R": "1E11111E141211", "S": "0F10100E01011E", "T": "1F040404040404",
    "U": "1111111111110E", "V": "11111111110A04", "W": "1111111515150A", "X": "11110A040A1111",
    "Y": "11110A04040404", "Z": "1F01020408101F", "0": "0E11131519110E", "1": "040C040404040E",
    "2": "0E11010204081F", "3": "1F02040201110E", "4": "02060A121F0202", "5": "1F101E0101110E",
    "6": "0608101E11110E", "7": "1F010204080808", "8": "0E11110E11110E", "9": "0E11110F01020C",
    " ": "00000000000000",
}
DOTS = 7


def dots(text):
    """Rows of 0 and 1, with an empty column after each letter."""
    rows = []
    for y in range(DOTS):
        row = []
        for letter in text:
            bits = int(FONT[letter][2 * y:2 * y + 2], 16)
            row += [bits >> (4 - x) & 1 for x in range(5)] + [0]
        rows.append(row[:-1])
    return rows


def line(text, height):
    """The text with this many rows, interpolated between the dots."""
    source = dots(text)
    scale, columns = height / DOTS, len(source[0])

    def dot(y, x):
        return source[y][x] if 0 <= y < DOTS and 0 <= x < columns else 0

    def ink(y, x):
        top, left = int(y // 1), int(x // 1)
        v, u = y - top, x - left
        value = ((1 - v) * ((1 - u) * dot(top, left) + u * dot(top, left + 1)) +
                 v * ((1 - u) * dot(top + 1, left) + u * dot(top + 1, left + 1)))
        return min(max(2.2 * value - 0.6, 0), 1)
    return [[ink((y + 0.5) / scale - 0.5, (x + 0.5) / scale - 0.5)
             for x in range(round(columns * scale))] for y in range(height)]


def draw(picture, top, left, ink, colour, amount=1.0):
    """Draws the text onto rows of pixels, which are lists of numbers."""
    for y, row in enumerate(ink):
        for x, value in enumerate(row):
            if 0 <= top + y < len(picture) and 0 <= left + x < len(picture[0]):
                pixel = picture[top + y][left + x]
                for c, own in enumerate(colour):
                    pixel[c] += (own - pixel[c]) * value * amount
