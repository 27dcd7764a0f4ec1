/* read_coin FILE: reads a file with Coin (SoDB::readAll), and does nothing with it. For vrml97.sh. */
#include <Inventor/SoDB.h>
#include <Inventor/SoInput.h>
#include <Inventor/nodes/SoSeparator.h>

int main(int count, char **words)
{
    SoDB::init();
    SoInput input;
    return count != 2 || !input.openFile(words[1]) || !SoDB::readAll(&input);
}
